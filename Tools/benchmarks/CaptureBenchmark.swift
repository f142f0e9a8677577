import ChangeTracking
import Foundation
import ObjectStore
import TICDSSQLite

/// What it costs to record changes: the same saves with and without a recorder.
enum CaptureBenchmark {
  static func run(_ only: Set<String>) throws -> [Measure] {
    var measures: [Measure] = []
    func measure(_ id: String, _ body: () throws -> Measure) throws {
      if only.isEmpty || only.contains(id) { measures.append(try body()) }
    }
    try measure("save_1000") { try save(objects: 1_000, saves: 5, id: "save_1000") }
    try measure("save_1") { try save(objects: 1, saves: 1_000, id: "save_1") }
    try measure("save_1_update") { try updates(saves: 2_000) }
    try measure("log_bytes") { try logBytes() }
    return measures
  }

  /// Milliseconds of a save: half of them insert objects, half change three fields of objects that are there.
  private static func save(objects: Int, saves: Int, id: String) throws -> Measure {
    let plain = try Editor(isSynchronized: false)
    let synchronized = try Editor(isSynchronized: true)
    let times = try alternating(
      baseline: { try plain.run(objects: objects, saves: saves) },
      candidate: { try synchronized.run(objects: objects, saves: saves) })
    return Measure(id, times.candidate * 1_000, "ms per save", baseline: times.baseline * 1_000)
  }

  /// Milliseconds of a save that changes three fields of one object, against the same row written by bare SQLite.
  private static func updates(saves: Int) throws -> Measure {
    let plain = try Editor(isSynchronized: false)
    let synchronized = try Editor(isSynchronized: true)
    for editor in [plain, synchronized] { _ = try editor.run(objects: saves, saves: 1) }
    let times = try alternating(
      baseline: { try plain.update(saves) }, candidate: { try synchronized.update(saves) })
    return Measure(
      "save_1_update", times.candidate * 1_000, "ms per save", baseline: times.baseline * 1_000)
  }

  /// Bytes by which the log grows for each changed object, as SQLite lays them out.
  private static func logBytes() throws -> Measure {
    let editor = try Editor(isSynchronized: true)
    let connection = try editor.sample.store.newConnection()
    func size() throws -> Int64 {
      let bytes = try connection.first("SELECT sum(pgsize) FROM dbstat WHERE name = 'TICDS_LOG'")
      if case .integer(let bytes)? = bytes { return bytes }
      return 0
    }
    let before = try size()
    _ = try editor.run(objects: 1_000, saves: 20)
    return Measure("log_bytes", Double(try size() - before) / 40_000, "bytes per changed object")
  }

  private final class Editor {
    let sample: SampleStore
    private let context: ManagedObjectContext
    private var text = SampleText(seed: 1)
    private var count = 0

    /// Seconds per save of one object that is there.
    func update(_ saves: Int) throws -> Double {
      let notes = try context.fetch(FetchRequest<Note>().limit(saves))
      return try seconds {
        for note in notes {
          count += 1
          note.title = "Edited title \(count)"
          note.isDone.toggle()
          note.updated = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(count))
          try context.save()
        }
      } / Double(notes.count)
    }

    init(isSynchronized: Bool) throws {
      sample = try SampleStore()
      context = try sample.context(isSynchronized: isSynchronized)
    }

    /// Seconds per save, including what happens when objects are made.
    func run(objects: Int, saves: Int) throws -> Double {
      var elapsed = 0.0
      for _ in 0..<saves {
        // Composing text is not what is measured.
        let contents = (0..<objects).map { _ in text.prose(200) }
        var notes: [Note] = []
        elapsed += try seconds {
          for body in contents {
            let note = try context.insert(Note.self)
            note.title = "Note number \(count)"
            note.body = body
            note.number = Int64(count)
            note.created = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(count))
            notes.append(note)
            count += 1
          }
          try context.save()
        }
        elapsed += try seconds {
          for note in notes {
            note.title = "Edited title \(note.number)"
            note.isDone = true
            note.updated = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(note.number))
          }
          try context.save()
        }
      }
      return elapsed / Double(2 * saves)
    }
  }
}
