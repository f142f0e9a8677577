import ByteFixtures
import ChangeTracking
import Foundation
import ObjectStore

/// Whether applying one new set takes longer after many others.
enum HistoryBenchmark {
  private static let noteCount = 10_000

  static func run(scale: Double) throws -> Measure {
    let fresh = try Receiver(history: 0)
    let seasoned = try Receiver(history: Int(10_000 * scale))
    let times = try alternating(
      baseline: { try fresh.applyNext() }, candidate: { try seasoned.applyNext() })
    return Measure(
      "history", times.candidate * 1_000, "ms per set of 100 changes after 10,000 sets",
      baseline: times.baseline * 1_000)
  }

  private final class Receiver {
    private let sample: SampleStore
    private let replica: Replica
    private var sequence: UInt64 = 0
    private var random = SeededGenerator(seed: 6)
    private let objects: [SyncID]

    init(history: Int) throws {
      sample = try SampleStore()
      replica = try sample.replica("receiver")
      var identifiers = SeededGenerator(seed: 7)
      objects = (0..<noteCount).map { SyncID(milliseconds: UInt64($0), using: &identifiers) }
      try replica.receive([nextSet(objects.map { ($0, isNew: true) })])
      for _ in stride(from: 0, to: history, by: 500) {
        try replica.receive((0..<500).map { _ in nextSet(sampleObjects(10)) })
      }
    }

    func applyNext() throws -> Double {
      // Several, for one takes less time than the scheduler's whims.
      let sets = (0..<20).map { _ in nextSet(sampleObjects(100)) }
      return try seconds { for set in sets { try replica.receive([set]) } } / 20
    }

    private func sampleObjects(_ count: Int) -> [(SyncID, isNew: Bool)] {
      (0..<count).map { _ in (objects.randomElement(using: &random) ?? objects[0], isNew: false) }
    }

    private func nextSet(_ objects: [(object: SyncID, isNew: Bool)]) -> ReceivedSet {
      sequence += 1
      let title = Register(property: 0, content: .value(.string("Title of set \(sequence)")))
      let time = LogicalTime(milliseconds: 1_000_000 + sequence)
      let set = ChangeSet(
        author: AuthorID(bits: 42), client: "sender", sequence: sequence, previous: nil, model: "",
        entities: [
          EntityNames(
            name: "Note", root: "Note", properties: [EntityNames.Property(name: "title", kind: .attribute)])
        ],
        changes: objects.map {
          Change(
            entity: 0, object: $0.object, time: time, action: $0.isNew ? .insert([title]) : .update([title]))
        })
      return ReceivedSet(set: set, hash: ContentHash(of: Array(String(sequence).utf8)))
    }
  }
}
