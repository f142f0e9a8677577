import ObjectStore

/// The long values, of some that are wanted, that a copy of another replica's store holds.
package struct CopiedLongValues {
  private let replica: Replica
  private let held: [ContentHash: Replica.HeldLongValue]

  fileprivate init(_ replica: Replica, _ wanted: Set<ContentHash>) throws {
    self.replica = replica
    let found = try replica.heldLongValues(limit: wanted.count) { wanted.contains($0) }
    held = Dictionary(found.map { ($0.hash, $0) }) { first, _ in first }
  }

  /// The hashes of those that it holds.
  package var hashes: Set<ContentHash> { Set(held.keys) }

  /// The bytes of one of them; `nil` if the copy, which others have made, does not let them be read after all.
  package func bytes(of hash: ContentHash) -> [UInt8]? {
    held[hash].flatMap { try? replica.bytes(of: $0) }
  }
}

extension Replica {
  /// Looks for long values in a copy of another replica's store that was verified (``StoreSnapshot/init(reading:)``). It is used up.
  ///
  /// - Parameters:
  ///   - wanted: their hashes.
  ///   - path: where the copy lies.
  /// - Returns: `nil` if the copy does not open, or this kind of store opens no copies, so that nobody can tell.
  package func longValues(_ wanted: Set<ContentHash>, inCopyAt path: String) throws -> CopiedLongValues? {
    do {
      guard let store = try store.openCopy(at: path) else { return nil }
      return try CopiedLongValues(Replica(store: store, configuration: configuration), wanted)
    } catch let error where databaseFailure(behind: error)?.isOfThisDevice != true {
      return nil
    }
  }
}
