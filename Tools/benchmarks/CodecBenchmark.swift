import ByteFixtures
import ChangeTracking
import Foundation
import ObjectStore
import TICDSZlib

/// Size and speed of the compact format, on sets of 10,000 changes as a store makes them.
enum CodecBenchmark {
  static let count = 10_000

  static func run() throws -> [Measure] {
    let samples = try Samples()
    let session = try deflate(samples.session, format: .zlib, level: .balanced)
    let sets = [samples.edits, samples.insertions]
    let bodies = sets.map { CompactCodec.encodeBody($0) }
    let files = try sets.map { try CompactCodec.encode($0) }
    let perSet = Double(count)
    return [
      Measure("edit_bytes", Double(files[0].count) / perSet, "bytes per edit of two short fields"),
      Measure("insert_bytes", Double(files[1].count) / perSet, "bytes per insert of 250 bytes of text"),
      Measure(
        "session_ratio", Double(files[0].count) / perSet, "bytes per edit",
        baseline: Double(session.count) / perSet),
      try rate("encode", sets) { _ = CompactCodec.encodeBody($0) },
      try rate("decode", bodies) { _ = try CompactCodec.decodeBody($0) },
      try rate("encode_compressed", sets) { _ = try CompactCodec.encode($0) },
      try rate("decode_compressed", files) { _ = try CompactCodec.decode($0) },
    ]
  }

  /// Changes per second over a set of edits and one of insertions, one after the other.
  private static func rate<Input>(
    _ id: String, _ inputs: [Input], _ work: (Input) throws -> Void
  ) throws -> Measure {
    var figures: [Double] = []
    for round in 0...5 {
      let elapsed = try seconds { for input in inputs { try work(input) } }
      if round > 0 { figures.append(Double(count * inputs.count) / elapsed) }
    }
    return Measure(id, Measure.median(figures), "changes per second")
  }

  /// Sets that a store has made, and the session extension's changeset of the same edits.
  private struct Samples {
    var insertions: ChangeSet
    var edits: ChangeSet
    var session: [UInt8]

    init() throws {
      let sample = try SampleStore()
      let context = try sample.context(isSynchronized: true)
      let replica = try sample.replica("sender")
      var text = SampleText(seed: 3)
      var random = SeededGenerator(seed: 3)
      var notes: [Note] = []
      for index in 0..<count {
        notes.append(try context.insert(Note.self) { $0.fill(index, bodyLength: 234, &text) })
        if index % 100 == 99 { try context.save() }
      }
      insertions = try CodecBenchmark.only(replica.push())
      let before = sample.folder.appending(path: "before.sqlite").path(percentEncoded: false)
      try sample.copy(to: before)
      notes.shuffle(using: &random)
      for (index, note) in notes.enumerated() {
        note.title = text.prose(12)
        note.number = Int64.random(in: 0..<1_000, using: &random)
        if index % 100 == 99 { try context.save() }
      }
      edits = try CodecBenchmark.only(replica.push())
      session = try SessionChanges.difference(from: before, to: sample.path)
    }
  }

  private struct UnexpectedSets: Error { var count: Int }

  private static func only(_ files: [ReceivedFile]) throws -> ChangeSet {
    guard files.count == 1 else { throw UnexpectedSets(count: files.count) }
    return try files[0].decoded().set
  }
}
