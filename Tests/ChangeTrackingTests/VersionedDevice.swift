import ObjectStore
import TemporaryFolders

@testable import ChangeTracking

/// A device whose application is brought to new versions of its model, by a migration like any application's.
final class VersionedDevice {
  let client: String
  let clock = TestClock()
  private let folder: TemporaryFolder
  private let setLimit: Int
  private(set) var context: ManagedObjectContext
  private(set) var replica: Replica
  private let pushed = PushedSets()
  /// How many sets of each device were taken. Holds what was pushed, so that no device that comes later is taken for one that is gone.
  private var taken: [(sets: PushedSets, count: Int)] = []

  /// What a device has pushed.
  private final class PushedSets {
    var sets: [ReceivedSet] = []
  }

  init(_ client: String, _ entities: [EntityDeclaration], setLimit: Int = 10_000) throws {
    self.client = client
    self.setLimit = setLimit
    folder = try TemporaryFolder()
    (context, replica) = try Self.open(client, entities, [], folder, clock, setLimit: setLimit)
  }

  /// Begins with a snapshot of another device.
  init(_ client: String, snapshotOf other: VersionedDevice, _ entities: [EntityDeclaration]) throws {
    self.client = client
    setLimit = other.setLimit
    folder = try TemporaryFolder()
    _ = try other.replica.snapshot(to: folder.file("store.sqlite"))
    (context, replica) = try Self.open(client, entities, [], folder, clock, setLimit: setLimit)
  }

  private static func open(
    _ client: String, _ entities: [EntityDeclaration], _ versions: [[EntityDeclaration]],
    _ folder: TemporaryFolder, _ clock: TestClock, setLimit: Int
  ) throws -> (ManagedObjectContext, Replica) {
    let seed = client.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
    let store = try PersistentStore(
      model: ManagedObjectModel(entities: entities), path: folder.file("store.sqlite"),
      options: .init(migration: Migration(from: try versions.map { try ManagedObjectModel(entities: $0) })))
    let context = try store.newContext()
    return (
      context,
      try store.newReplica(
        Replica.Configuration(client: client, clock: clock, seed: seed &+ 1, setLimit: setLimit))
    )
  }

  /// Starts the next version of the application, which may have been skipped some.
  ///
  /// - Parameter versions: earlier ones that the application names for its migration.
  func upgrade(to entities: [EntityDeclaration], by versions: [EntityDeclaration]...) throws {
    try upgrade(to: entities, through: versions)
  }

  func upgrade(to entities: [EntityDeclaration], through versions: [[EntityDeclaration]]) throws {
    (context, replica) = try Self.open(client, entities, versions, folder, clock, setLimit: setLimit)
  }

  // MARK: Objects

  @discardableResult
  func edit<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
    clock.advance(1_000)
    context.mergePendingChanges()
    let result = try body(context)
    guard context.hasChanges else { throw ManagedDevice.NothingToSave() }
    try context.save()
    return result
  }

  func insert(_ entity: String, _ id: String, _ values: [String: AttributeValue] = [:]) throws {
    try edit { context in
      let object = try context.insert(entity: entity)
      object[SyncModelKey.syncID] = .string(id)
      for (name, value) in values { object[name] = value }
    }
  }

  func objects(_ entity: String) throws -> [ManagedObject] {
    context.mergePendingChanges()
    return try context.fetch(FetchRequest<ManagedObject>(entity: entity))
  }

  func object(_ entity: String, _ id: String) throws -> ManagedObject? {
    try objects(entity).first {
      $0[SyncModelKey.syncID] == .string(id)
    }
  }

  func set(_ entity: String, _ id: String, _ name: String, _ value: AttributeValue) throws {
    try edit { _ in try object(entity, id)?[name] = value }
  }

  func setTarget(_ entity: String, _ id: String, _ name: String, _ target: ManagedObject?) throws {
    try edit { _ in try object(entity, id)?.setTarget(target, name) }
  }

  func value(_ entity: String, _ id: String, _ name: String) throws -> AttributeValue? {
    try object(entity, id)?[name]
  }

  func text(_ entity: String, _ id: String, _ name: String) throws -> String? {
    if case .string(let text)? = try value(entity, id, name) { text } else { nil }
  }

  func target(_ entity: String, _ id: String, _ name: String) throws -> String? {
    guard case .string(let id)? = try object(entity, id)?.target(name)?[SyncModelKey.syncID] else {
      return nil
    }
    return id
  }

  func members(_ entity: String, _ id: String, _ name: String) throws -> Set<String> {
    Set(
      try object(entity, id)?.members(name).compactMap { member in
        if case .string(let id) = member[SyncModelKey.syncID] { id } else { nil }
      } ?? [])
  }

  func count(_ entity: String) throws -> Int { try objects(entity).count }

  // MARK: Synchronisation

  func push() throws { pushed.sets += try replica.push() }

  /// Merges what another device has pushed since the last time.
  @discardableResult
  func receive(from other: VersionedDevice, policy: ConflictPolicy = .always(.latest)) throws -> ApplyReport {
    try other.push()
    let index = taken.firstIndex { $0.sets === other.pushed } ?? taken.endIndex
    if index == taken.endIndex { taken.append((other.pushed, 0)) }
    let new = Array(other.pushed.sets.dropFirst(taken[index].count))
    taken[index].count = other.pushed.sets.count
    return try replica.receive(new, policy: policy)
  }

  /// All devices merge what all others have pushed.
  static func synchronize(_ devices: VersionedDevice...) throws {
    for device in devices { try device.push() }
    for device in devices { for other in devices where other !== device { try device.receive(from: other) } }
  }
}
