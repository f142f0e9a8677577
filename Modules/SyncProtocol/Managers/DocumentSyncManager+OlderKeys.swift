import Crypto

extension DocumentSyncManager {
  /// The failure of a device that wants to join and was given the newest key, where older ones are not there. Costs a request.
  func olderKeysMissing(_ count: Int) async throws -> SyncError {
    let encryption = application.hierarchy.encryption
    let folder = KeyFolder(try await backend.listIfPresent(encryption) ?? RemoteListing())
    let covered = folder.covered.min()
    let keys = count == 1 ? "One of the older keys" : "\(count) of the older keys"
    let pronoun = count == 1 ? "it is" : "they are"
    return SyncError(
      .keysNotDelivered,
      "\(keys) of the remote cannot be had, the one that the document “\(hierarchy.document)” was created with\(count == 1 ? "" : " among them"): \(pronoun) late, lost\(covered == nil ? "" : ", or covered by something else").",
      recovery: covered.map {
        "Something else lies at “\(encryption / $0)”, where the file of a key belongs: move it out of the way, and synchronise a device that has joined, which puts keys back within a day."
      }
        ?? "Wait until the storage has delivered “\(encryption)”, or synchronise a device that has joined, which puts lost keys back within a day."
    )
  }
}
