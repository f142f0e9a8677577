import ByteFixtures
import ChangeTracking
import Foundation
import ObjectStore

/// A store of the benchmarks of scale, in a temporary folder that goes when the store does.
final class ScaleStore {
  private let folder: URL
  let store: PersistentStore
  let replica: Replica

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "ticds-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try PersistentStore(
      model: TrackingScaleModel.model(),
      path: folder.appending(path: "store.sqlite").path(percentEncoded: false))
    replica = try store.newReplica(Replica.Configuration(client: "here"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A context whose saves are recorded.
  func recordedContext() throws -> ManagedObjectContext {
    store.recordChanges()
    return try store.newContext()
  }
}

/// Another device, which says what a benchmark wants merged.
struct OtherDevice {
  private var sequence: UInt64 = 0
  private var time: UInt64 = 1_000_000
  private var random = SeededGenerator(seed: 8)

  static let setLimit = 10_000

  mutating func identifiers(_ count: Int) -> [SyncID] {
    (0..<count).map { SyncID(milliseconds: UInt64($0), using: &random) }
  }

  /// Sets with one insertion for each object.
  mutating func insertions(
    _ entity: String, _ properties: [EntityNames.Property] = [], _ objects: [SyncID],
    _ registers: (Int) -> [Register] = { _ in [] }
  ) -> [ReceivedSet] {
    stride(from: 0, to: objects.count, by: Self.setLimit).map { start in
      sequence += 1
      let set = ChangeSet(
        author: AuthorID(bits: 42), client: "there", sequence: sequence, previous: nil, model: "",
        entities: [EntityNames(name: entity, root: entity, properties: properties)],
        changes: (start..<min(start + Self.setLimit, objects.count)).map { index in
          time += 1
          return Change(
            entity: 0, object: objects[index], time: LogicalTime(milliseconds: time),
            action: .insert(registers(index)))
        })
      return ReceivedSet(set: set, hash: ContentHash(of: Array(String(sequence).utf8)))
    }
  }

  /// A set of changes that have their own times, of objects of one entity.
  mutating func set(_ names: EntityNames, _ changes: [Change]) -> ReceivedSet {
    sequence += 1
    let set = ChangeSet(
      author: AuthorID(bits: 42), client: "there", sequence: sequence, previous: nil, model: "",
      entities: [names], changes: changes)
    return ReceivedSet(set: set, hash: ContentHash(of: Array(String(sequence).utf8)))
  }

  /// Memos with a title and a text.
  mutating func memos(_ count: Int) -> [ReceivedSet] {
    let properties = ["title", "content"].map { EntityNames.Property(name: $0, kind: .attribute) }
    return insertions("Memo", properties, identifiers(count)) { index in
      [
        Register(property: 0, content: .value(.string("Memo number \(index)"))),
        Register(property: 1, content: .value(.string("A text of some length, which is number \(index)"))),
      ]
    }
  }
}
