import ChangeTracking
import Foundation
import ObjectStore
import Synchronization

/// The time of a run: the same for the same input.
final class FuzzClock: Sendable {
  static let start: UInt64 = 1_700_000_000_000
  private let value: Atomic<UInt64>

  init(_ offset: UInt64 = 0) { value = Atomic(Self.start + offset) }

  var milliseconds: UInt64 { value.load(ordering: .relaxed) }

  func advance() { value.wrappingAdd(500, ordering: .relaxed) }
}

/// Random numbers of a run: the same for the same input.
final class FuzzRandom: RandomNumberGenerator, Sendable {
  private let state: Atomic<UInt64>

  init(_ seed: UInt64) { state = Atomic(seed) }

  func next() -> UInt64 {
    var word = state.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}

/// A store on disk, a context that records, and a replica. The only place that calls `Replica`.
final class FuzzDevice {
  let name: String
  private(set) var context: ManagedObjectContext
  /// Which names its application knows.
  private(set) var version: MergingModel.Version
  private let path: String
  private let seed: UInt64
  private var store: PersistentStore
  private var replica: Replica
  private let clock: FuzzClock
  /// Own sets that were handed out.
  private(set) var pushed: [ReceivedSet] = []
  /// The authors of which no more is merged, and why.
  private(set) var stopped: [AuthorID: String] = [:]

  init(_ name: String, _ version: MergingModel.Version, path: String, seed: UInt64) throws {
    (self.name, self.version, self.path, self.seed) = (name, version, path, seed)
    clock = FuzzClock(seed * 7)
    (store, context, replica) = try Self.open(name, version, path, seed, clock)
  }

  private static func open(
    _ name: String, _ version: MergingModel.Version, _ path: String, _ seed: UInt64, _ clock: FuzzClock
  ) throws -> (PersistentStore, ManagedObjectContext, Replica) {
    let store = try PersistentStore(
      model: FuzzStage.model(version), path: path, options: .init(migration: .automatic))
    let random = FuzzRandom(seed)
    let replica = try store.newReplica(
      Replica.Configuration(
        client: name, now: { clock.milliseconds }, random: { random.next() }, setLimit: 50))
    return (store, try store.newContext(), replica)
  }

  /// Starts the application's second version, which migrates the store.
  func upgrade() throws {
    guard version == .first else { return }
    (store, context, replica) = try Self.open(name, .renamed, path, seed + 50, clock)
    version = .renamed
  }

  var author: AuthorID {
    get throws { try replica.author }
  }

  // MARK: Sync

  /// Makes sets of what was edited; they count as pushed.
  func push() throws -> [ReceivedSet] {
    try replica.freeze()
    let new = try replica.outbox().map { frozen in
      try replica.acknowledge(through: frozen.sequence)
      return ReceivedSet(set: try CompactCodec.decode(frozen.bytes), hash: frozen.hash)
    }
    pushed += new
    return new
  }

  /// Merges sets, together if that can be, otherwise one by one: a set that is refused stops its author alone.
  func receive(_ sets: [ReceivedSet]) throws {
    clock.advance()
    for received in sets
    where try received.set.author == author
      && !replica.knows(received.hash, of: received.set.author, sequence: received.set.sequence)
    {
      // Another copy of the store goes on under the same author.
      try replica.beginNewIncarnation()
    }
    let open = sets.filter { stopped[$0.set.author] == nil }
    do {
      try merge(open)
    } catch let error as ReplicaError where error.isRefusal {
      for received in open where stopped[received.set.author] == nil {
        do { try merge([received]) } catch let error as ReplicaError where error.isRefusal {
          stopped[received.set.author] = "\(error)"
        }
      }
    }
  }

  private func merge(_ sets: [ReceivedSet]) throws {
    switch try replica.apply(sets, policy: .always(.latest)) {
    case .applied: break
    case .undecided: fail("\(name): a policy that answers every conflict left one open")
    }
  }

  // MARK: The user

  /// One unit of work. What the model does not allow is taken back, as an application would.
  func edit(_ body: (ManagedObjectContext) throws -> Void) throws {
    clock.advance()
    context.mergePendingChanges()
    do {
      try body(context)
      try context.save()
    } catch let error where error is SaveError || error is ContextError {
      context.rollback()
    }
  }

  /// All objects of an entity, by its first name, and those below it, in the order of their identifiers.
  func objects(_ entity: String, _ context: ManagedObjectContext? = nil) throws -> [ManagedObject] {
    let objects = try (context ?? self.context).fetch(
      FetchRequest<ManagedObject>(entity: version.name(entity)))
    func key(_ object: ManagedObject) -> String { "\(object[SyncModelKey.syncID])" }
    return objects.sorted { key($0).utf8.lexicographicallyPrecedes(key($1).utf8) }
  }

  /// Everything that the store shows, read anew and by first names: a line for each object.
  func contents() throws -> [[UInt8]] {
    let context = try store.newContext()
    return try MergingModel.concrete.flatMap { entity in
      try objects(entity, context).map { Array(line($0).utf8) }
    }
  }

  private func line(_ object: ManagedObject) -> String {
    func name(_ object: ManagedObject?) -> String { object.map { "\($0[SyncModelKey.syncID])" } ?? "-" }
    // What only the second version has is left out.
    let properties = object.entity.properties.compactMap { property in
      property.name == SyncModelKey.syncID ? nil : version.firstName(property.name).map { ($0, property) }
    }.sorted { $0.0 < $1.0 }
    var parts = ["\(version.firstName(object.entity.name) ?? object.entity.name) \(name(object))"]
    for (first, property) in properties {
      if let relationship = property.asRelationship {
        if relationship.isToMany {
          let members = object.members(property.name).map(name)
          let shown =
            relationship.isOrdered
            ? members : members.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
          if !shown.isEmpty { parts.append("\(first)→[\(shown.joined(separator: ", "))]") }
        } else if let target = object.target(property.name) {
          parts.append("\(first)→\(name(target))")
        }
      } else if !object[property.name].isNull {
        parts.append("\(first)=\(object[property.name])")
      }
    }
    return parts.joined(separator: " ")
  }
}

extension ReplicaError {
  /// Whether a set was refused, as documented of `Replica.apply`.
  var isRefusal: Bool { code == .invalidSet || code == .outOfOrder }
}
