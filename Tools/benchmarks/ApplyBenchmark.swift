import ByteFixtures
import ChangeTracking
import Foundation
import ObjectStore
import TICDSSQLite

/// How fast, and in how much memory, changes from another device reach the store.
enum ApplyBenchmark {
  static func run(scale: Double) throws -> [Measure] {
    let samples = try ApplySamples(scale: scale)
    return [
      try rate(samples), try memory(samples), try HistoryBenchmark.run(scale: scale),
    ]
  }

  /// Changes per second, against the session extension on the same rows.
  private static func rate(_ samples: ApplySamples) throws -> Measure {
    var changeset = samples.changeset
    let times = try alternating(
      baseline: { try samples.onCopy { try SessionChanges.apply(&changeset, to: $0) } },
      candidate: {
        try samples.onCopy { path in
          let replica = try samples.replica(at: path)
          let sets = try samples.files.map { try $0.decoded() }
          return try seconds { try replica.receive(sets) }
        }
      })
    let count = Double(samples.changeCount)
    return Measure("apply", count / times.candidate, "changes per second", baseline: count / times.baseline)
  }

  /// Growth of the process while all sets are applied, against the first of them alone.
  private static func memory(_ samples: ApplySamples) throws -> Measure {
    func growth(_ files: [ReceivedFile]) throws -> Double {
      try samples.onCopy { path in
        let replica = try samples.replica(at: path)
        return try ProcessMemory.growth { try replica.receive(try files.map { try $0.decoded() }) }
      }
    }
    let figures = try alternating(
      baseline: { try growth([samples.files[0]]) }, candidate: { try growth(samples.files) })
    return Measure("apply_memory", figures.candidate / 1e6, "MB", baseline: figures.baseline / 1e6)
  }
}

/// 100,000 changes to a store of 100,000 notes, as files and as SQLite's changeset.
struct ApplySamples {
  private(set) var files: [ReceivedFile] = []
  private(set) var changeset: [UInt8] = []
  private(set) var changeCount = 0
  private let receiver: SampleStore
  private let base: String
  private let noteCount: Int

  init(scale: Double) throws {
    noteCount = Int(100_000 * scale)
    let sender = try SampleStore()
    receiver = try SampleStore()
    base = receiver.folder.appending(path: "base.sqlite").path(percentEncoded: false)
    let context = try sender.context(isSynchronized: true)
    let replica = try sender.replica("sender")
    var text = SampleText(seed: 4)
    try fill(context, &text)
    let first = try receiver.replica("receiver")
    for file in try replica.push() { try first.receive([try file.decoded()]) }
    try receiver.copy(to: base)

    try change(context, &text)
    files = try replica.push()
    for file in files {
      let set = try file.decoded()
      changeCount += set.set.changes.count
      try first.receive([set])
    }
    changeset = try SessionChanges.difference(from: base, to: receiver.path)
  }

  private func fill(_ context: ManagedObjectContext, _ text: inout SampleText) throws {
    for index in 0..<1_000 { try context.insert(Folder.self) { $0.name = "Folder \(index)" } }
    for index in 0..<100 { try context.insert(Tag.self) { $0.name = "Tag \(index)" } }
    for index in 0..<noteCount {
      try context.insert(Note.self) { $0.fill(index, &text) }
      if index % 1_000 == 999 { try context.save() }
    }
  }

  /// In hundredths: 20 insertions, 60 attributes, 7.5 to-one targets, 7.5 links and 5 deletions, on different notes.
  private func change(_ context: ManagedObjectContext, _ text: inout SampleText) throws {
    var random = SeededGenerator(seed: 5)
    let notes = try context.fetch(FetchRequest<Note>()).shuffled(using: &random)
    let folders = try context.fetch(FetchRequest<Folder>())
    let tags = try context.fetch(FetchRequest<Tag>())
    for (index, note) in notes.enumerated() {
      switch index * 200 / noteCount {
      case ..<120: note.title = "Edited title \(index)"
      case ..<135: note.folder = folders.randomElement(using: &random)
      case ..<150: if let tag = tags.randomElement(using: &random) { note.tags.insert(tag) }
      case ..<160: context.delete(note)
      default:
        try context.insert(Note.self) { $0.fill(noteCount + index, &text) }
      }
      if index % 1_000 == 999 { try context.save() }
    }
  }

  /// Works on a fresh copy of the receiver's store.
  func onCopy<R>(_ body: (String) throws -> R) throws -> R {
    let path = receiver.folder.appending(path: "copy.sqlite").path(percentEncoded: false)
    func remove() {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    remove()
    defer { remove() }
    try FileManager.default.copyItem(atPath: base, toPath: path)
    return try body(path)
  }

  func replica(at path: String) throws -> Replica {
    let store = try PersistentStore(
      model: ManagedObjectModel(Note.self, Folder.self, Tag.self), path: path)
    return try store.newReplica(Replica.Configuration(client: "receiver"))
  }
}
