import ChangeTracking
import Foundation
import ObjectStore

/// Work of which a set can say any amount about one object.
extension TrackingScaleBenchmark {
  private static let tally = EntityNames(
    name: "Tally", root: "Tally",
    properties: ["count", "best"].map { EntityNames.Property(name: $0, kind: .attribute) })
  private static let topic = EntityNames(
    name: "Topic", root: "Topic", properties: [.init(name: "memos", kind: .toMany(destination: "Memo"))])

  private static func change(_ object: SyncID, _ milliseconds: Int, _ action: Change.Action) -> Change {
    Change(
      entity: 0, object: object, time: LogicalTime(milliseconds: UInt64(milliseconds)), action: action)
  }

  /// A store with one tally, and who has inserted it.
  private static func withTally() throws -> (store: ScaleStore, other: OtherDevice, object: SyncID) {
    let scale = try ScaleStore()
    var other = OtherDevice()
    let object = other.identifiers(1)[0]
    _ = try scale.replica.receive([other.set(tally, [change(object, 1, .insert([]))])])
    return (scale, other, object)
  }

  /// Merges candidates for a greatest value, of which none makes another needless: the later, the less.
  static func candidates(_ count: Int) throws -> Double {
    let (scale, inserter, object) = try withTally()
    var other = inserter
    let candidates = (0..<count).map { index in
      change(
        object, 1_000 + index,
        .contribute(property: 1, value: .integer(Int64(count - index)), origin: nil))
    }
    let set = other.set(tally, candidates)
    return try seconds { try scale.replica.receive([set]) }
  }

  /// Merges as many deletions of objects that live on as they have links, or as was counted of them.
  static func deletions(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    var other = OtherDevice()
    let objects = other.identifiers(2)
    let memos = other.identifiers(count)
    let inserted = 1_000_000
    _ = try scale.replica.receive(other.insertions("Memo", [], memos))
    let counted = (0..<count).map { index in
      change(objects[0], inserted + 1 + index, .contribute(property: 0, value: .integer(1), origin: nil))
    }
    let linked = memos.enumerated().map { index, memo in
      change(objects[1], inserted + 1 + index, .link(property: 0, target: memo))
    }
    _ = try scale.replica.receive([
      other.set(tally, [change(objects[0], inserted, .insert([]))] + counted),
      other.set(topic, [change(objects[1], inserted, .insert([]))] + linked),
    ])
    let sets = zip([tally, topic], objects).map { names, object in
      other.set(names, (0..<count).map { change(object, 1_000 + $0, .delete) })
    }
    return try seconds { try scale.replica.receive(sets) }
  }

  /// Merges the members of one ordered relationship, as a device does that joins.
  static func list(_ count: Int) throws -> Double {
    let maker = try ScaleStore()
    let context = try maker.recordedContext()
    let playlist = try context.insert(Playlist.self)
    playlist.tracks = try (0..<count).map { _ in try context.insert(Track.self) }
    try context.save()
    let sets = try maker.replica.push().map { try $0.decoded() }
    let scale = try ScaleStore()
    return try seconds { try scale.replica.receive(sets) }
  }

  /// Merges values of one object that the local model does not know, and as many deletions that end none of them.
  static func unknown(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    var other = OtherDevice()
    let object = other.identifiers(1)[0]
    let names = EntityNames(
      name: "Memo", root: "Memo",
      properties: (0..<count).map { EntityNames.Property(name: "unknown \($0)", kind: .attribute) })
    let written = (0..<count).map { index in
      change(
        object, 1_000_000 + index,
        .update([Register(property: ChangeSet.PropertyIndex(rawValue: index), content: .value(.integer(1)))]))
    }
    let deletions = (0..<count).map { change(object, 1_000 + $0, .delete) }
    let sets = [
      other.set(names, [change(object, 900_000, .insert([]))] + written), other.set(names, deletions),
    ]
    return try seconds { try scale.replica.receive(sets) }
  }

  /// Merges candidates for a greatest value that were all made at one time, by as many authors, and of which none makes another needless.
  static func ties(_ count: Int) throws -> Double {
    let (scale, inserter, object) = try withTally()
    var other = inserter
    let candidates = (0..<count).map { index in
      change(
        object, 1_000,
        .contribute(
          property: 1, value: .integer(Int64(count - index)), origin: AuthorID(bits: UInt64(1_000 + index))))
    }
    let sets = stride(from: 0, to: count, by: 200).map { start in
      other.set(tally, Array(candidates[start..<min(start + 200, count)]))
    }
    return try seconds { try scale.replica.receive(sets) }
  }
}
