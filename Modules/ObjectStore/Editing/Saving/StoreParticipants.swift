import TICDSSQLite

/// Stands for participants that were added to a store; needed to remove them again.
public struct ParticipantRegistration: Sendable, Hashable {
  let number: Int
}

/// What holds for all contexts of a store, present and future.
struct StoreRegistrations: Sendable {
  typealias Maker = @Sendable (ManagedObjectContext) throws -> (any SaveParticipant)?

  /// Counts up with every change, so that contexts see that there is something to be taken up.
  private(set) var generation = 0
  private(set) var makers: [(registration: ParticipantRegistration, make: Maker)] = []
  private var named: [String: ParticipantRegistration] = [:]
  private(set) var immutableNames: Set<String> = []
  private var next = 0

  mutating func add(as name: String?, _ make: @escaping Maker) -> ParticipantRegistration {
    if let name, let known = named[name], makers.contains(where: { $0.registration == known }) {
      return known
    }
    let registration = ParticipantRegistration(number: next)
    next += 1
    generation += 1
    makers.append((registration, make))
    if let name { named[name] = registration }
    return registration
  }

  mutating func remove(_ registration: ParticipantRegistration) {
    generation += 1
    makers.removeAll { $0.registration == registration }
  }

  mutating func makeImmutable(_ names: Set<String>) {
    generation += 1
    immutableNames.formUnion(names)
  }
}

extension PersistentStore {
  /// Has a participant take part in everything that any context saves to this store, from now on.
  ///
  /// Whoever saves cannot forget it: contexts that exist already and those that are still to be made, those of
  /// ``performBackground(_:)``, the saves of children that reach the store, and batches, which are then done with objects. Left
  /// out are contexts with ``ManagedObjectContext/usesStoreParticipants`` turned off, and what is written without any context:
  /// by a ``RowEditor``, a connection or a migration.
  ///
  /// ```swift
  /// store.addParticipants { context in try Recorder(context: context) }
  /// ```
  /// - Parameters:
  ///   - name: Tells who adds them: participants that were added under a name are not added again.
  ///   - make: Makes the participant of one context, in the context's isolation and outside of a transaction, no later than its
  ///   first insertion, save or batch; `nil` if the context needs none. What it throws is thrown by the save.
  /// - Returns: what ``removeParticipants(_:)`` takes.
  @discardableResult public func addParticipants(
    as name: String? = nil,
    _ make: @escaping @Sendable (ManagedObjectContext) throws -> (any SaveParticipant)?
  ) -> ParticipantRegistration {
    registrations.withLock { $0.add(as: name, make) }
  }

  /// Has participants that were added take part no longer; saves that have begun still have them.
  public func removeParticipants(_ registration: ParticipantRegistration) {
    registrations.withLock { $0.remove(registration) }
  }

  /// Protects attributes by which objects are recognised, whatever entity has one of these names: as if they were declared
  /// with ``AttributeDescription/isImmutable``.
  public func makeImmutable(attributesNamed names: Set<String>) {
    registrations.withLock { $0.makeImmutable(names) }
  }
}

/// What a context has taken up of a store's registrations.
struct AdoptedRegistrations {
  var generation = -1
  /// Whether the context was asked for its participants at all; before that nothing was inserted.
  var hasBegun = false
  var participants: [(registration: ParticipantRegistration, participant: (any SaveParticipant)?)] = []
  /// By entity; empty if no attribute of the model is immutable.
  var immutableSlots: [[Int]] = []
}

extension ManagedObjectContext {
  /// Whether batches have to be done with objects, for the sake of participants.
  var hasParticipants: Bool {
    !ownParticipants.isEmpty
      || usesStoreParticipants && store.registrations.withLock { !$0.makers.isEmpty }
  }

  /// Takes up what was registered with the store since the last time. To be called outside of a transaction.
  ///
  /// - Throws: what the maker of a participant throws.
  func adoptRegistrations() throws {
    adopted.hasBegun = true
    let known = adopted.generation
    guard let registrations = store.registrations.withLock({ $0.generation == known ? nil : $0 }) else {
      return
    }
    // First, so that a maker that uses the context does not come back here.
    adopted.generation = registrations.generation
    adopted.immutableSlots = immutableSlots(registrations.immutableNames)
    let makers = usesStoreParticipants ? registrations.makers : []
    adopted.participants.removeAll { old in !makers.contains { $0.registration == old.registration } }
    defer { participants = adopted.participants.compactMap(\.participant) + ownParticipants }
    for (registration, make) in makers
    where !adopted.participants.contains(where: { $0.registration == registration }) {
      let participant: (any SaveParticipant)?
      do {
        participant = try make(self)
      } catch {
        adopted.generation = -1
        throw error
      }
      adopted.participants.append((registration, participant))
      guard let participant else { continue }
      // An object with a permanent key came back and is not new.
      for object in inserted where object.isInserted && object.key < 0 {
        participant.contextDidInsert(object)
      }
    }
  }

  /// Takes up registrations where nothing can be thrown; the next save does it again and throws.
  func beginAdopting() {
    if adopted.hasBegun { return }
    try? adoptRegistrations()
  }

  private func immutableSlots(_ names: Set<String>) -> [[Int]] {
    let slots = model.entities.map { entity in
      (0..<entity.attributeCount).filter { index in
        entity.attribute(at: index).map { $0.isImmutable || names.contains($0.name) } ?? false
      }
    }
    return slots.allSatisfy(\.isEmpty) ? [] : slots
  }

  /// Whether a save may give an attribute its first value, and no other later.
  func isImmutable(_ index: Int, in entity: EntityDescription) -> Bool {
    let slots = root.adopted.immutableSlots
    return slots.indices.contains(entity.index) && slots[entity.index].contains(index)
  }
}
