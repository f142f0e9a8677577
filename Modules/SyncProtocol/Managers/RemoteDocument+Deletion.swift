import Crypto

extension RemoteDocument {
  /// What is left on a remote under the name of a document that was deleted: other documents that bear it.
  public struct Remainder: Hashable, Sendable {
    /// How many foundings, which the keys at hand open.
    public var foundings = 0
    /// The keys of further foundings, which are not at hand: nobody here can tell what lies there under them.
    public var unknownKeys: [KeyIdentifier] = []

    /// Whether nothing is left.
    public var isEmpty: Bool { foundings == 0 && unknownKeys.isEmpty }
  }

  /// Deletes the document from the remote, for everybody.
  ///
  /// Other devices are told at their next synchronisation (`documentDeleted`), or within a day if storage puts the files back, and keep what
  /// they hold, with what they have not pushed.
  /// Nothing of the document is put back by them, nor by storage that delivers late: it is written down first, in
  /// ``ApplicationHierarchy/deletedDocuments``, that the document was deleted. Another document may have the name at once.
  /// Repeating it completes what was interrupted, and removes what others have written meanwhile.
  ///
  /// Asked of a store's document (``DocumentSyncManager/remoteDocument()``) it deletes that one; otherwise all of the name that the keys
  /// at hand open. What belongs to others is left there.
  ///
  /// - Returns: what is left there under the document's name.
  /// - Throws: ``SyncError`` with `documentNotFound` if there is no such document and was none, `keyMissing`, `storage` or `cancelled`.
  @discardableResult
  public func delete() async throws(SyncError) -> Remainder {
    try await wrapping {
      let founding = try founding()
      let deletion = try DocumentDeletion(backend: backend, hierarchy: hierarchy, keys: keys)
      let look = try await founding.look()
      if look.isUndecided { throw SyncError.crowded(hierarchy, count: look.crowd ?? 0) }
      let gone = Set(look.deleted.map(\.founding))
      let doomed =
        foundings.isEmpty ? look.genuine.map(\.integrityKey) : foundings.filter { !gone.contains($0) }
      guard !doomed.isEmpty || !look.deleted.isEmpty else { throw notFound(look) }
      // Where nothing of the application lies, it is another place: most often a drive is not mounted.
      if look.genuine.isEmpty, try await backend.listIfPresent(hierarchy.application.root) == nil {
        throw notFound(look)
      }
      if !doomed.isEmpty {
        let description = (try? await information().description) ?? ""
        let information = DeletionInformation(
          document: identifier, description: description, deviceName: configuration.clientDescription,
          time: configuration.now())
        for founding in doomed { try await deletion.write(founding, information) }
      }
      let removal = try DocumentRemoval(backend: backend, hierarchy: hierarchy, keys: keys)
      return try await removal.remove(Set(doomed).union(gone).sorted())
    }
  }
}
