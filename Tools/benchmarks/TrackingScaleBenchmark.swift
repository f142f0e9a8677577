import ChangeTracking
import Foundation
import ObjectStore

/// Whether work on ten times as much takes more than about ten times as long.
///
/// Each figure is that of 10 n, the baseline that of n, so that the ratio tells how the work grows: 10 if it is proportional, 1 if it
/// does not depend on n. Waiting times must not grow at all.
enum TrackingScaleBenchmark {
  static func run(scale: Double, _ only: Set<String>) throws -> [Measure] {
    func wants(_ ids: String...) -> Bool { only.isEmpty || !only.isDisjoint(with: ids) }
    var measures: [Measure] = []
    if wants("merge", "merge_save_wait_ms", "merge_read_wait_ms") {
      measures += try watched("merge", Int(50_000 * scale), merge)
    }
    if wants("freeze", "freeze_save_wait_ms", "freeze_read_wait_ms") {
      measures += try watched("freeze", Int(50_000 * scale), freeze)
    }
    let others: [(String, Int, (Int) throws -> Double)] = [
      ("counter", 1_000, increments), ("deletion", 10_000, deletion), ("list_append", 4_000, append),
      ("import", 2_000, importing), ("idle_freeze", 10_000, idleFreeze), ("idle_status", 10_000, idleStatus),
      ("candidates", 2_000, candidates), ("deletions", 2_000, deletions), ("list", 4_000, list),
      ("unknown", 100, unknown), ("ties", 400, ties), ("united", 50, united), ("paths", 50, paths),
    ]
    for (id, count, work) in others where wants(id) {
      let count = Int(Double(count) * scale)
      measures.append(
        Measure(id, try work(10 * count) * 1_000, "ms for \(10 * count)", baseline: try work(count) * 1_000))
    }
    return only.isEmpty ? measures : measures.filter { only.contains($0.id) }
  }

  private typealias Watched = (seconds: Double, longest: WaitingContext.Longest)

  private static func watched(_ id: String, _ count: Int, _ work: (Int) throws -> Watched) throws -> [Measure]
  {
    let (less, more) = (try work(count), try work(10 * count))
    func wait(_ what: String, _ time: KeyPath<WaitingContext.Longest, Double>) -> Measure {
      Measure(
        "\(id)_\(what)_wait_ms", more.longest[keyPath: time], "ms at most, of 10 n",
        baseline: less.longest[keyPath: time])
    }
    return [
      Measure(id, more.seconds * 1_000, "ms for \(10 * count)", baseline: less.seconds * 1_000),
      wait("save", \.save), wait("read", \.read),
    ]
  }

  // MARK: Much at once

  /// Merges insertions while another context saves.
  private static func merge(_ count: Int) throws -> Watched {
    let scale = try ScaleStore()
    var other = OtherDevice()
    let sets = other.memos(count)
    var elapsed = 0.0
    let longest = try WaitingContext.watching(scale) {
      elapsed = try seconds { try scale.replica.receive(sets) }
    }
    return (elapsed, longest)
  }

  /// Makes sets of inserted rows while another context saves.
  private static func freeze(_ count: Int) throws -> Watched {
    let scale = try ScaleStore()
    let context = try scale.recordedContext()
    for index in 0..<count {
      try context.insert(Memo.self) {
        $0.title = "Memo number \(index)"
        $0.content = "A text of some length, which is number \(index)"
      }
      if index % 1_000 == 999 { try context.save() }
    }
    try context.save()
    var elapsed = 0.0
    let longest = try WaitingContext.watching(scale) {
      elapsed = try seconds { try scale.replica.freeze() }
    }
    return (elapsed, longest)
  }

  /// Imports notes with tags, as the notebook does it: all are saved at once.
  private static func importing(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    let context = try scale.recordedContext()
    return try seconds {
      for index in 0..<count {
        let memo = try context.insert(Memo.self)
        memo.title = "Memo number \(index)"
        memo.content = "A text of some length, which is number \(index)"
        memo.created = Date()
        memo.modified = memo.created
        memo.topics = [try topic("topic \(index % 100)", in: context)]
      }
      try context.save()
    }
  }

  private static func topic(_ name: String, in context: ManagedObjectContext) throws -> Topic {
    if let known = try context.first(Topic.self, where: \.name == name) { return known }
    return try context.insert(Topic.self) { $0.name = name }
  }

  // MARK: Little beside much

  /// Increments a counter again and again, and makes a set each time.
  private static func increments(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    let context = try scale.recordedContext()
    let tally = try context.insert(Tally.self)
    try context.save()
    return try seconds {
      for _ in 0..<count {
        tally.count += 1
        try context.save()
        try scale.replica.freeze()
      }
    }
  }

  /// Makes a set of the deletion of one object, beside as many one-to-one relationships that gave way to later ones.
  private static func deletion(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    var other = OtherDevice()
    let owners = other.identifiers(count)
    let owner = [EntityNames.Property(name: "owner", kind: .toOne(destination: "Owner"))]
    try scale.replica.receive(other.insertions("Owner", [], owners))
    for _ in 0..<2 {
      try scale.replica.receive(
        other.insertions("Passport", owner, other.identifiers(count)) {
          [Register(property: 0, content: .target(owners[$0]))]
        })
    }
    let context = try scale.recordedContext()
    let passports = try context.fetch(Passport.self).filter { $0.owner != nil }.prefix(5)
    return try median(of: Array(passports)) { passport in
      context.delete(passport)
      try context.save()
      return try seconds { try scale.replica.freeze() }
    }
  }

  /// Makes a set of one member more at the end of an ordered relationship.
  private static func append(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    let context = try scale.recordedContext()
    let playlist = try context.insert(Playlist.self)
    playlist.tracks = try (0..<count).map { _ in try context.insert(Track.self) }
    try context.save()
    try scale.replica.freeze()
    return try median(of: Array(0..<5)) { _ in
      playlist.tracks.append(try context.insert(Track.self))
      try context.save()
      return try seconds { try scale.replica.freeze() }
    }
  }

  private static func idleFreeze(_ count: Int) throws -> Double {
    try idle(count) { try $0.freeze() }
  }

  private static func idleStatus(_ count: Int) throws -> Double {
    try idle(count) { _ = try $0.status() }
  }

  /// Does something that finds nothing to do.
  private static func idle(_ count: Int, _ work: (Replica) throws -> Void) throws -> Double {
    let scale = try ScaleStore()
    var other = OtherDevice()
    try scale.replica.receive(other.memos(count))
    try work(scale.replica)
    return try median(of: Array(0..<5)) { _ in
      try seconds { for _ in 0..<20 { try work(scale.replica) } } / 20
    }
  }

  private static func median<Element>(
    of elements: [Element], _ work: (Element) throws -> Double
  ) rethrows -> Double {
    Measure.median(try elements.map(work))
  }
}
