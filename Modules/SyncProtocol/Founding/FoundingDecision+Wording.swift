extension SyncError {
  /// What is said of a password that opens nothing where passwords were removed: what tells them from others was removed with them.
  static func doubtfulPassword(_ message: String) -> SyncError {
    SyncError(
      .wrongPassword, message,
      recovery:
        "Check keyboard layout and capital letters, then enter the password again. If it was removed or changed meanwhile, ask whoever uses the other devices for the one that holds now."
    )
  }
}

extension FoundingDecision.Refusal {
  /// The failure that a person sees; that of the storage, if it keeps back what might have opened the remote.
  func failure(_ look: ApplicationFounding.Look, _ hierarchy: ApplicationHierarchy) -> any Error {
    if [.keysNotDelivered, .wrongPassword].contains(self), let refused = look.refusedKeyFile {
      return refused
    }
    return error(look, hierarchy)
  }

  private func error(_ look: ApplicationFounding.Look, _ hierarchy: ApplicationHierarchy) -> SyncError {
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
        .passwordRequired, "The remote is encrypted.",
        recovery: "Give the password that was chosen for it.\(ofAnother(look))")
    case .keysNotDelivered:
      let strange =
        look.unreadableKeyFile.map { " The key file “\($0.name)” is damaged, or not there in full." }
        ?? (look.folder.strange.isEmpty ? "" : " What lies in \(folder) cannot be read as keys.")
      return SyncError(
        .keysNotDelivered,
        "The remote is encrypted, but its keys are not there: they are late, or were removed.\(strange)",
        recovery:
          "Wait until the storage has delivered \(folder), or synchronise a device that has joined, which puts lost keys back within a day; nothing is written unencrypted.\(ofAnother(look))"
      )
    case .wrongPassword where look.isPasswordWithdrawn:
      return SyncError(
        .wrongPassword, "The password was removed or changed: it opens the remote no more.",
        recovery: "Ask whoever uses the other devices for the password that holds now.")
    case .wrongPassword:
      if let result = look.cutShort { return cutShort(result, look, folder) }
      if let file = look.unreadableKeyFile {
        return SyncError(
          .wrongPassword,
          "The password opens none of the key files in \(folder) that can be read, and “\(file.name)” is damaged, or not there in full: nothing tells whether it opens that.",
          recovery:
            "If the password is the one that holds now, wait until the storage has delivered \(folder). If the file stays as it is, remove it and synchronise a device that has joined with that password, which writes it anew within a day; where no device has, replace the keys on one that has joined before. Otherwise check keyboard layout and capital letters."
        )
      }
      if look.folder.lacksKeyFile {
        return SyncError(
          .wrongPassword,
          "The password opens none of the key files in \(folder), but the file of another key of the remote is not there: it is late, or lost.",
          recovery:
            "If the password was chosen lately, wait until the storage has delivered \(folder), or synchronise the device on which it was chosen, and try again. Otherwise check keyboard layout and capital letters."
        )
      }
      if !look.folder.withdrawals.isEmpty {
        return .doubtfulPassword("The password does not unlock the remote, or not any more.")
      }
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

  /// What is said where members have founded the application without encryption, and something tells of keys.
  private func ofAnother(_ look: ApplicationFounding.Look) -> String {
    look.evidence.isFoundedPlain
      ? " If nobody uses a password here, a file of another remote lies among these, or somebody has forged one: “ticds-inspect verify” names it."
      : ""
  }

  /// There are more key files than a password is tried on at once, and it opens none of those that it was tried on.
  private func cutShort(
    _ result: KeyUnlocking.Result, _ look: ApplicationFounding.Look, _ folder: String
  ) -> SyncError {
    let all = result.tried + result.triedBefore
    let before = result.triedBefore > 0 ? ", on \(result.triedBefore) of them before" : ""
    let again =
      result.isRemembered
      ? "Try again with the same password: it goes on with those that were not tried, until each has had its turn."
      : "Try again: others get their turn."
    return SyncError(
      .wrongPassword,
      "The password was tried on \(all) of the \(look.folder.keyFiles.count) key files in \(folder)\(before), more than are tried at once, and opens none of these. It may be right all the same.",
      recovery:
        "\(again) Somebody may have put them there: who moves them elsewhere and synchronises a device that has joined gets the right one back within a day."
    )
  }
}
