import CommandLineTool
import SyncProtocol

/// `rejoin`: takes over a whole store from the remote, whatever the reason.
enum RejoinVerb {
  static let command = Command.withStatus(
    "rejoin", "Takes over a whole copy of the notes from the remote; what was not sent yet is kept.",
    [StoreParameters.store, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    return try await NotebookSync.withDocument(of: folder) { document in
      let report = try await document.rejoin()
      return try SyncOutput.show(report, of: folder, asJSON: arguments[StoreParameters.json], console)
    }
  }
}
