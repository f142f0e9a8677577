extension RemoteDocument {
  /// Deletes the document from the remote, for everybody.
  ///
  /// Other devices are told at their next synchronisation (`documentDeleted`) and keep what they hold, with what they have not pushed.
  /// Nothing of the document is put back by them, nor by storage that delivers late: it is written down first, in
  /// ``ApplicationHierarchy/deletedDocuments``, that the document was deleted. Another document may have the name at once.
  /// Repeating it completes what was interrupted, and removes what others have written meanwhile.
  ///
  /// - Throws: ``SyncError`` with `documentNotFound` if there is no such document and was none, `keyMissing`, `storage` or `cancelled`.
  public func delete() async throws(SyncError) {
    try await wrapping {
      let founding = try founding()
      let deletion = try DocumentDeletion(backend: backend, hierarchy: hierarchy, keys: keys)
      let look = try await founding.look()
      guard !look.genuine.isEmpty || !look.deleted.isEmpty else { throw notFound(look) }
      if !look.genuine.isEmpty {
        let description = (try? await information().description) ?? ""
        let information = DeletionInformation(
          document: identifier, description: description, deviceName: configuration.clientDescription,
          time: configuration.now())
        for name in look.genuine { try await deletion.write(name.integrityKey, information) }
      }
      // Founding records first: what lies there without one is nobody's.
      for path in [hierarchy.integrityKey, hierarchy.recentSyncs, hierarchy.root] {
        do throws(BackendError) { try await backend.remove(path) } catch {
          guard error.code == .notFound else { throw error }
        }
      }
    }
  }
}
