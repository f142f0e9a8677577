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
  let context: ManagedObjectContext
  private let store: PersistentStore
  private let replica: Replica
  private let clock: FuzzClock
  /// Own sets that were handed out.
  private(set) var pushed: [ReceivedSet] = []
  /// Sets that it would not merge.
  private(set) var refused: Set<ContentHash> = []
  private var stopped: Set<AuthorID> = []

  init(_ name: String, model: ManagedObjectModel, path: String, seed: UInt64) throws {
    self.name = name
    let clock = FuzzClock(seed * 7)
    self.clock = clock
    store = try PersistentStore(model: model, path: path)
    context = try store.newContext()
    let random = FuzzRandom(seed)
    replica = try store.newReplica(
      Replica.Configuration(
        client: name, now: { clock.milliseconds }, random: { random.next() }, setLimit: 50))
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
    let open = sets.filter { !stopped.contains($0.set.author) }
    do {
      try merge(open)
    } catch let error as ReplicaError where error.isRefusal {
      for received in open where !stopped.contains(received.set.author) {
        do { try merge([received]) } catch let error as ReplicaError where error.isRefusal {
          refused.insert(received.hash)
          stopped.insert(received.set.author)
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

  /// The authors of which no more is merged.
  var stoppedAuthors: Set<AuthorID> { stopped }

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

  /// All objects of an entity and those below it, in the order of their identifiers.
  func objects(_ entity: String, _ context: ManagedObjectContext? = nil) throws -> [ManagedObject] {
    let objects = try (context ?? self.context).fetch(FetchRequest<ManagedObject>(entity: entity))
    func key(_ object: ManagedObject) -> String { "\(object[SyncModelKey.syncID])" }
    return objects.sorted { key($0).utf8.lexicographicallyPrecedes(key($1).utf8) }
  }

  /// Everything that the store shows, read anew: a line for each object.
  func contents() throws -> [[UInt8]] {
    let context = try store.newContext()
    return try MergingModel.concrete.flatMap { entity in
      try objects(entity, context).map { Array(line($0).utf8) }
    }
  }

  private func line(_ object: ManagedObject) -> String {
    func name(_ object: ManagedObject?) -> String { object.map { "\($0[SyncModelKey.syncID])" } ?? "-" }
    var parts = ["\(object.entity.name) \(name(object))"]
    for property in object.entity.properties where property.name != SyncModelKey.syncID {
      if let relationship = property.asRelationship {
        if relationship.isToMany {
          let members = object.members(property.name).map(name)
          let shown =
            relationship.isOrdered
            ? members : members.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
          if !shown.isEmpty { parts.append("\(property.name)→[\(shown.joined(separator: ", "))]") }
        } else if let target = object.target(property.name) {
          parts.append("\(property.name)→\(name(target))")
        }
      } else if !object[property.name].isNull {
        parts.append("\(property.name)=\(object[property.name])")
      }
    }
    return parts.joined(separator: " ")
  }
}

extension ReplicaError {
  /// Whether a set was refused, as documented of `Replica.apply`.
  var isRefusal: Bool { code == .invalidSet || code == .outOfOrder }
}
