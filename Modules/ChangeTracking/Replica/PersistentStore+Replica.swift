import ObjectStore

extension PersistentStore {
  /// Opens the replica of this store, on a connection of its own.
  ///
  /// From now on the store records what every context saves (``recordChanges(now:random:)``); contexts and the replica may work
  /// side by side.
  /// - Throws: as ``ManagedLocalStore/init(store:)`` and ``Replica/init(store:configuration:)``.
  public func newReplica(_ configuration: Replica.Configuration) throws -> Replica {
    try Replica(store: try ManagedLocalStore(store: self), configuration: configuration)
  }
}
