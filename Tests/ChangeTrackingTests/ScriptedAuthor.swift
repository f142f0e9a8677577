import ObjectStore

@testable import ChangeTracking

/// An author whose sets a test writes down, one after the other: what no device of ours would say in this way, but somebody may.
struct ScriptedAuthor {
  let id: AuthorID
  private let entities: [EntityNames]
  private var last: (sequence: UInt64, hash: ContentHash)?

  init(_ bits: UInt64, entities: EntityNames...) { self.init(bits, entities) }

  init(_ bits: UInt64, _ entities: [EntityNames]) {
    id = AuthorID(bits: bits)
    self.entities = entities
  }

  /// The next set.
  mutating func set(_ changes: Change...) throws -> ReceivedSet { try set(changes) }

  mutating func set(_ changes: [Change]) throws -> ReceivedSet {
    let set = ChangeSet(
      author: id, client: "scripted", sequence: (last?.sequence ?? 0) + 1, previous: last?.hash,
      model: "plain", entities: entities, changes: changes)
    let hash = ContentHash(of: try CompactCodec.encode(set))
    last = (set.sequence, hash)
    return ReceivedSet(set: set, hash: hash)
  }
}

extension EntityNames {
  /// A person of ``PlainStore`` with the property `name`.
  static let person = EntityNames(
    name: "Person", root: "Person", properties: [.init(name: "name", kind: .attribute)])
}

extension Change {
  /// A change to an object of the set's first entity.
  init(_ object: SyncID, at milliseconds: UInt64, _ action: Action) {
    self.init(entity: 0, object: object, time: LogicalTime(milliseconds: milliseconds), action: action)
  }
}
