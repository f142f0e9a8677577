import ChangeTracking
import CommandLineTool
import RemoteAccess
import SyncProtocol

/// `sync`: exchanges changes with the other devices.
enum SyncVerb {
  /// What is done about conflicts.
  enum Choice: String, CaseIterable {
    case latest, local, remote, ask
  }

  static let onConflict = Parameter.choice(
    "on-conflict", default: Choice.latest, "Which side wins where two devices changed the same thing.")

  static let passwordFile = Parameter.optional(
    "password-file", placeholder: "F",
    "A file whose first line is a password of the remote, if a sync has said that a key is missing, be it the same one as here; or the notebook's own, if its keys are lost."
  )

  static let staying = Parameter.flag(
    "no-return",
    "Does not take over a whole copy of the notes where this device was away for so long that changes were removed."
  )

  static let command = Command.withStatus(
    "sync", "Exchanges changes with the other devices; exits 13 if one could not be read for some time.",
    [StoreParameters.store, StoreParameters.json, onConflict, passwordFile, staying]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let handling = handling(try arguments[onConflict], console)
    let password = try arguments[passwordFile].map { file throws(ToolFailure) in try PasswordFile.read(file) }
    return try await NotebookSync.withDocument(of: folder, adding: password) { document in
      var options = SyncOptions(conflicts: handling)
      if try arguments[staying] { options.returning = .never }
      let report = try await LastMerge(of: folder, console).keeping(document) { document, keepsInverses in
        options.keepsInverses = keepsInverses
        return try await document.synchronize(options)
      }
      return try SyncOutput.show(report, of: folder, asJSON: arguments[StoreParameters.json], console)
    }
  }

  private static func handling(_ choice: Choice, _ console: Console) -> ConflictHandling {
    switch choice {
    case .latest: return .always(.latest)
    case .local: return .always(.local)
    case .remote: return .always(.remote)
    case .ask:
      return .ask { conflicts in
        guard console.isInteractive else {
          throw ToolFailure(
            .undecided, "two devices changed the same note, and nobody can be asked without a terminal",
            advice: "run the command at a terminal, or choose latest, local or remote")
        }
        return try ConflictQuestion(console: console).answers(to: conflicts)
      }
    }
  }
}
