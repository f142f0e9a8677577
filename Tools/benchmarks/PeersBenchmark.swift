import ByteFixtures
import ChangeTracking
import Foundation
import ObjectStore

/// This library's part of what `Tools/benchmarks/peers` compares: 100,000 objects of six fields are built, two fields of
/// each are edited, and another device loads the objects and applies the edits.
enum PeersBenchmark {
  static func run(scale: Double) throws -> [Measure] {
    let count = Int(100_000 * scale)
    let sender = try SampleStore()
    let receiver = try SampleStore()
    let body = String(repeating: "lorem ipsum dolor sit amet ", count: 6)
    let built = try seconds { try build(count, sender, body: body) }
    let replica = try sender.replica("sender")
    var objects: [ReceivedFile] = []
    let exported = try seconds { objects = try replica.push() }
    let edited = try seconds { try edit(count, sender) }
    var edits: [ReceivedFile] = []
    let frozen = try seconds { edits = try replica.push() }
    let other = try receiver.replica("receiver")
    let loaded = try seconds { for file in objects { try other.receive([try file.decoded()]) } }
    let read = try seconds { try self.read(count, receiver) }
    let applied = try seconds { for file in edits { try other.receive([try file.decoded()]) } }
    func rate(_ id: String, _ seconds: Double) -> Measure {
      Measure(id, Double(count) / seconds, "objects per second")
    }
    func size(_ id: String, _ files: [ReceivedFile]) -> Measure {
      Measure(id, Double(files.reduce(0) { $0 + $1.bytes.count }) / Double(count), "bytes per object")
    }
    return [
      rate("build", built), rate("export", exported), rate("edit", edited), rate("export_edits", frozen),
      rate("load", loaded), rate("read", read), rate("load_read", loaded + read), rate("apply", applied),
      size("object_bytes", objects), size("edit_bytes", edits),
      Measure("memory", try ProcessMemory.peak() / 1e6, "MB"),
    ]
  }

  private static func build(_ count: Int, _ sample: SampleStore, body: String) throws {
    let context = try sample.context(isSynchronized: true)
    for index in 0..<count {
      try context.insert(Note.self) {
        $0.title = "Note title number \(index)"
        $0.body = body
        $0.number = Int64(index)
        $0.isDone = index & 1 == 1
        $0.created = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(index))
        $0.updated = $0.created
      }
      if index % 1_000 == 999 { try context.save() }
    }
  }

  /// Reads a field of every object, for a library may put off its work until somebody looks.
  private static func read(_ count: Int, _ sample: SampleStore) throws {
    let context = try sample.store.newContext()
    var length = 0
    for note in try context.fetchBatched(FetchRequest<Note>(), size: 1_000) {
      length += note.title.utf8.count
    }
    precondition(length > count, "the other device has not all objects")
  }

  private static func edit(_ count: Int, _ sample: SampleStore) throws {
    let context = try sample.context(isSynchronized: true)
    for (index, note) in try context.fetchBatched(FetchRequest<Note>(), size: 1_000).enumerated() {
      note.title = "Edited title \(note.number)"
      note.updated = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(note.number))
      if index % 1_000 == 999 { try context.save() }
    }
  }
}
