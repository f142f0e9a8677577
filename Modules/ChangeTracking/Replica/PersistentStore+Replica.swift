import ObjectStore

extension PersistentStore {
  /// Opens the replica of this store, on a connection of its own.
  ///
  /// From now on the store records what every context saves (``recordChanges(now:random:)``); contexts and the replica may work
  /// side by side.
  /// - Throws: ``NoSyncIDError`` if nothing of the model is synchronised; as ``ManagedLocalStore/init(store:)`` and ``Replica/init(store:configuration:)``.
  public func newReplica(_ configuration: Replica.Configuration) throws -> Replica {
    try NoSyncIDError.check(model)
    return try Replica(store: try ManagedLocalStore(store: self), configuration: configuration)
  }
}
