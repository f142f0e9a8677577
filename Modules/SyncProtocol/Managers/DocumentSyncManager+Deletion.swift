import ChangeTracking

/// What a device does whose document somebody has deleted.
extension DocumentSyncManager {
  /// Why the document is not there any more: it was deleted, or is lost or late.
  func gone() async throws -> SyncError {
    let protection = try await protection()
    let look = try await founding(protection.keys).look()
    return try await deleted(look, own: protection.foundings[0]) ?? removed()
  }

  /// The failure of a device whose founding was deleted; `nil` if it was not.
  func deleted(_ look: DocumentFounding.Look, own: IntegrityKey) async throws -> SyncError? {
    guard let name = look.deleted.first(where: { $0.founding == own }) else { return nil }
    let deletion = try DocumentDeletion(
      backend: backend, hierarchy: hierarchy, keys: await application.registration?.keys)
    let information = await deletion.information(name)
    let who = information.map { $0.deviceName.isEmpty ? "" : " by “\($0.deviceName)”" } ?? ""
    return SyncError(
      .documentDeleted, "The document “\(hierarchy.document)” was deleted\(who).",
      recovery:
        "This store keeps everything that it holds. To share it again, create another document from it, or from a copy."
    )
  }
}
