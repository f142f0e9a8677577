/// Storage and replicators that do not tell capital letters from small ones give folders back under another name.
extension DocumentSyncManager {
  /// Refuses to go on beside a folder whose name is that of the application but for the case of its letters: what is looked for, or would be
  /// made anew, lies there.
  ///
  /// - Throws: ``SyncError`` with `folderInOtherCase`.
  func requireOwnCase() async throws {
    let own = hierarchy.application.root
    guard try await !backend.exists(own) else { return }
    let listing = try await backend.listIfPresent(.root)
    let wanted = own.description
    let name = listing?.entries.first { entry in
      entry.kind == .folder && entry.name.description.lowercased() == wanted.lowercased()
    }?.name
    guard let name, name.description != wanted else { return }
    throw SyncError(
      .folderInOtherCase,
      "There is no folder “\(wanted)” on the remote, but a folder “\(name)”: their names differ in the case of their letters only.",
      recovery: "Rename the folder “\(name)” to “\(wanted)” on the remote; the next synchronisation goes on.")
  }
}
