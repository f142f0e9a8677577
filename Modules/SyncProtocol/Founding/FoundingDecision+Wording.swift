extension FoundingDecision.Refusal {
  /// The failure that a person sees.
  func error(_ look: ApplicationFounding.Look, _ hierarchy: ApplicationHierarchy) -> SyncError {
    let folder = "“\(hierarchy.encryption)”"
    switch self {
    case .absent:
      return SyncError(
        .applicationNotFound, "The remote holds nothing of “\(hierarchy.application)” yet.",
        recovery: "Check the location of the remote, or create it from this device.")
    case .notDelivered:
      if let obstruction = look.obstruction { return .obstructedFounding(obstruction) }
      return SyncError(
        .notDelivered,
        "The remote holds files of “\(hierarchy.application)”, but not the record of its founding.",
        recovery:
          "Wait until the storage has delivered everything. A device that has joined puts a lost record back within a day of synchronising; if there is none, look with ticds-inspect whether the files are still needed."
      )
    case .passwordRequired:
      return SyncError(
        .passwordRequired, "The remote is encrypted.", recovery: "Give the password that was chosen for it.")
    case .keysNotDelivered:
      let strange = look.folder.strange.isEmpty ? "" : " What lies in \(folder) cannot be read as keys."
      return SyncError(
        .keysNotDelivered,
        "The remote is encrypted, but its keys are not there: they are late, or were removed.\(strange)",
        recovery:
          "Wait until the storage has delivered \(folder), or synchronise a device that has joined, which puts lost keys back within a day; nothing is written unencrypted."
      )
    case .wrongPassword where look.isPasswordWithdrawn:
      return SyncError(
        .wrongPassword, "The password was removed or changed: it opens the remote no more.",
        recovery: "Ask whoever uses the other devices for the password that holds now.")
    case .wrongPassword where look.triedKeyFiles != nil:
      let (tried, all) = (look.triedKeyFiles ?? 0, look.folder.keyFiles.count)
      return SyncError(
        .wrongPassword,
        "The password was tried on \(tried) of the \(all) key files in \(folder), more than are tried at once, and opens none of these. It may be right all the same.",
        recovery:
          "Try again: others get their turn. If this goes on, somebody may have put them there: move them elsewhere, and synchronise a device that has joined, which puts the right one back within a day."
      )
    case .wrongPassword:
      return SyncError(
        .wrongPassword, "The password does not unlock the remote.",
        recovery:
          "Check keyboard layout and capital letters, then enter the password again. If another device has just created the remote with another password, give that one."
      )
    case .keyMissing:
      return SyncError(
        .keyMissing, "The remote is encrypted with a key that this device does not have.",
        recovery: "Join again with the password.")
    case .notEncrypted:
      return SyncError(
        .notEncrypted, "The remote exists and is not encrypted, although a password was given.",
        recovery:
          "If it should be encrypted, somebody may have put another in its place: look at a device that has joined. Otherwise join without encryption, or use another remote."
      )
    case .encryptionChanged:
      return SyncError(
        .encryptionChanged,
        "The remote is not encrypted, although this device has its keys: it was created anew.",
        recovery:
          "Restore the folder \(folder) of the remote, or synchronise a device that has joined; nothing is written unencrypted."
      )
    case .classicEncryption:
      return SyncError(
        .unsupportedFormat, "The remote was encrypted by TICoreDataSync, which this version does not join.",
        recovery: "Use another remote.")
    }
  }
}
