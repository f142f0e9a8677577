import CommandLineTool
import RemoteAccess
import SyncProtocol

/// `refill`: fills a remote that has lost the notes with those of this device.
enum RefillVerb {
  static let confirmed = Parameter.flag(
    "yes", "Says that what the remote held is lost; asked for without it.")

  static let command = Command.withStatus(
    "refill", "Fills a remote that was wiped or rolled back with what this notebook holds.",
    [StoreParameters.store, StoreParameters.json, confirmed]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let remote = try folder.remembered(try NotebookSettings(contentsOf: folder.settings)).remote
    if try !arguments[confirmed] { try confirm(remote, console) }
    return try await NotebookSync.withDocument(of: folder) { document in
      let report = try await document.refill()
      return try SyncOutput.show(report, of: folder, asJSON: arguments[StoreParameters.json], console)
    }
  }

  private static func confirm(_ remote: String, _ console: Console) throws(ToolFailure) {
    guard console.isInteractive else {
      throw ToolFailure(
        .undecided, "nobody can be asked without a terminal whether the remote's notes are lost",
        advice: "--yes says so")
    }
    let answer = console.ask(
      """
      Everything that this notebook holds is written to “\(remote)” again. Do that only if the notes there are lost for \
      good, not if the folder is merely late or not mounted. Go on? (yes/no)\u{20}
      """)
    guard answer?.lowercased() == "yes" else {
      throw ToolFailure(.undecided, "nothing was written to the remote", advice: "answer yes to go on")
    }
  }
}
