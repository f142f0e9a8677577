import Foundation

extension SyncError {
  /// The end of the year 9999, in milliseconds since 1970: later times are nonsense.
  private static let latestTime: UInt64 = 253_402_300_799_000

  /// The failure of a device that somebody has removed.
  ///
  /// - Parameters:
  ///   - removal: the note of it.
  ///   - hierarchy: where the document lies.
  ///   - isEncrypted: whether only members can have made the note.
  static func removed(
    _ removal: FoundRemoval, _ hierarchy: DocumentHierarchy, isEncrypted: Bool
  ) -> SyncError {
    let doubt =
      isEncrypted
      ? "If none of you has removed it, somebody else has the password: change it, and replace the key."
      : "If nobody has removed it, remove “\(hierarchy.file(of: removal.name))”: without encryption whoever can write to the storage can put that there."
    return SyncError(
      .deviceRemoved,
      "This device was removed from the document “\(hierarchy.document)”\(who(removal.information)).",
      recovery:
        "It keeps everything that it holds, what was not sent yet too. It comes back as a new device, with all of that, if it rejoins. \(doubt)"
    )
  }

  private static func who(_ information: RemovalInformation?) -> String {
    guard let information else { return "" }
    let name = information.remover.isEmpty ? "" : " by “\(DeviceName.shown(information.remover))”"
    guard information.time > 0, information.time <= latestTime else { return name }
    let date = Date(timeIntervalSince1970: Double(information.time) / 1_000)
    return "\(name) on \(date.formatted(.iso8601))"
  }

  /// The failure to remove a device that does not take part.
  static func noSuchDevice(_ device: String, in hierarchy: DocumentHierarchy) -> SyncError {
    SyncError(
      .noSuchDevice, "No device “\(device)” takes part in the document “\(hierarchy.document)”.",
      recovery: "List the devices, and name one of them.")
  }

  /// The failure of a device that is to remove itself.
  static var removingItself: SyncError {
    SyncError(
      .noSuchDevice, "A device does not remove itself.",
      recovery: "Remove it from another device; or remove its store, and then it from the others.")
  }
}
