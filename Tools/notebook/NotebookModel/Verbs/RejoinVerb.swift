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
      if try arguments[StoreParameters.json] {
        console.print(SyncOutput.json(report).text)
      } else {
        let titles = try report.awaited.isEmpty ? NoteTitles() : NoteTitles(folder)
        SyncOutput.print(report, titles, console)
      }
      return report.isBlocked ? .blocked : .success
    }
  }
}
