extension SyncError {
  /// The failure of a device whose document somebody has deleted.
  ///
  /// - Parameters:
  ///   - deletion: the note of it.
  ///   - hierarchy: where the document lies.
  ///   - isEncrypted: whether only members can have made the note.
  static func deleted(
    _ deletion: FoundDeletion, _ hierarchy: DocumentHierarchy, isEncrypted: Bool
  ) -> SyncError {
    SyncError(
      .documentDeleted, "The document “\(hierarchy.document)” was deleted\(who(deletion)).",
      recovery:
        "This store keeps everything that it holds. To share it again, create another document from it, or from a copy.\(doubt(deletion, hierarchy, isEncrypted))"
    )
  }

  /// The failure of a device that wants to join, where files of a document lie that was deleted.
  static func remainsOfDeleted(
    _ deletion: FoundDeletion, _ hierarchy: DocumentHierarchy, isEncrypted: Bool
  ) -> SyncError {
    SyncError(
      .documentDeleted,
      "The document “\(hierarchy.document)” was deleted\(who(deletion)), and files of it are there still or came back.",
      recovery:
        "Delete it once more from a device that took part; then another may have the name.\(doubt(deletion, hierarchy, isEncrypted))"
    )
  }

  /// The failure of a device whose document is gone, where another bears its name.
  static func replaced(_ hierarchy: DocumentHierarchy) -> SyncError {
    SyncError(
      .documentReplaced,
      "The document “\(hierarchy.document)” on the remote is another one than the one that this store belongs to, which was deleted, is lost, or is late.",
      recovery:
        "Wait if the storage is still delivering. If it was deleted or lost, join the new document with a new store; this store keeps everything that it holds."
    )
  }

  /// The failure of a device that finds another document of the same name, of which it has no keys: most likely on another remote than the
  /// one that is meant.
  static func strange(_ hierarchy: DocumentHierarchy) -> SyncError {
    SyncError(
      .documentReplaced,
      "Another document “\(hierarchy.document)” lies on the remote, which was created by somebody else; the one that this store belongs to is not there.",
      recovery:
        "Check that the remote is the right one, and mounted. If it is, join the other document with a new store; this store keeps everything that it holds."
    )
  }

  private static func who(_ deletion: FoundDeletion) -> String {
    let name = deletion.information.map { DeviceName.shown($0.deviceName) } ?? ""
    return name.isEmpty ? "" : " by “\(name)”"
  }

  private static func doubt(
    _ deletion: FoundDeletion, _ hierarchy: DocumentHierarchy, _ isEncrypted: Bool
  ) -> String {
    // The codes in names prove nothing there.
    isEncrypted
      ? ""
      : " If nobody has deleted it, remove “\(hierarchy.application.file(of: deletion.name))”: without encryption whoever can write to the storage can put that there."
  }
}
