import TICDSSQLite

/// How a store that was made for an earlier version of a model is brought up to the model it is opened with.
///
/// ```swift
/// let store = try PersistentStore(model: model, path: path, options: .init(migration: .automatic))
/// ```
/// What can be inferred from two models is inferred: see `Docs/ObjectStore.md` for the list. The rest is said by
/// transformations, and by naming the versions in between:
/// ```swift
/// let migration = Migration(from: v1, v2).transforming("Person", from: v1) { person in
///   person["fullName"] = .string("\(person.old["first"].text) \(person.old["last"].text)")
/// }
/// ```
/// All steps happen in one transaction of the file. A process that ends in the middle leaves the store as it was, and so does
/// every failure. Objects keep their keys unless two tables become one; the store keeps its identity, and tables with the
/// prefix `TICDS_` are left alone.
public struct Migration: Sendable {
  /// Changes one object while its store is migrated.
  public typealias Transformation = @Sendable (MigratingObject) throws -> Void

  struct Transformer: Sendable {
    let entity: String
    /// Version hashes of the model from which the step goes; `nil` for all steps.
    let source: [String: [UInt8]]?
    let body: Transformation
  }

  /// Earlier versions of the model, the oldest first.
  private(set) var versions: [ManagedObjectModel]
  var transformers: [Transformer] = []
  var participants: [any MigrationParticipant] = []
  var report: @Sendable (MigrationProgress) -> Void = { _ in }

  /// A migration of which everything can be inferred, from the model that the store itself remembers.
  public static let automatic = Migration(from: [])

  /// A migration by way of the versions in between.
  ///
  /// A store that was made for one of them goes through all that follow it. One that was made for none of them goes to the
  /// current model directly.
  /// - Parameter versions: Earlier versions of the model, the oldest first.
  public init(from versions: ManagedObjectModel...) { self.init(from: versions) }

  /// A migration by way of the versions in between.
  ///
  /// - Parameter versions: Earlier versions of the model, the oldest first.
  public init(from versions: [ManagedObjectModel]) { self.versions = versions }

  /// The same migration with a transformation of the objects of one entity and of those that inherit from it.
  ///
  /// It is called once for each object, after everything that could be inferred was taken over. What could not be inferred
  /// about the entity's properties is then no reason to refuse.
  /// - Parameters:
  ///   - entity: Name of the entity in the model that the step leads to.
  ///   - source: The version from which the step goes; `nil` for every step.
  ///   - body: Called in the migration's transaction; what it throws ends the migration and leaves the store as it was.
  public func transforming(
    _ entity: String, from source: ManagedObjectModel? = nil, _ body: @escaping Transformation
  ) -> Migration {
    var migration = self
    migration.transformers.append(Transformer(entity: entity, source: source?.versionHashes, body: body))
    return migration
  }

  func starting(from version: ManagedObjectModel) -> Migration {
    var migration = self
    migration.versions = [version]
    return migration
  }

  /// The same migration with somebody who keeps tables of its own in the store.
  public func adding(_ participant: any MigrationParticipant) -> Migration {
    var migration = self
    migration.participants.append(participant)
    return migration
  }

  /// The same migration, telling how far it is. The closure is called in the isolation of whoever opens the store.
  ///
  /// A task that is cancelled stops the migration: opening then throws ``StoreError`` with the reason `cancelled`.
  public func reporting(_ report: @escaping @Sendable (MigrationProgress) -> Void) -> Migration {
    var migration = self
    migration.report = report
    return migration
  }
}

/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
  /// The step of those from one version to the next, from 1.
  public let step: Int
  /// How many steps there are.
  public let stepCount: Int
  /// Objects of this step that have been written.
  public let objects: Int
  /// Objects that this step has to write.
  public let objectCount: Int
}

/// Somebody who keeps tables of its own in a store, and is told what a migration changes in the store's.
public protocol MigrationParticipant: Sendable {
  /// A step of a migration has written all rows; what is written to `connection` now is committed together with them.
  ///
  /// - Throws: anything, to leave the store as it was.
  func storeWillMigrate(_ mapping: ModelMapping, on connection: Connection) throws
}
