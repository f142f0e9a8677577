import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol
import WebDAVBackend

/// `probe`: what a server does, tested in a folder of its own that is removed afterwards.
enum ProbeCommand {
  static let command = Command(
    "probe", "Tests a WebDAV server: each law, whether it is kept, how fast, and what follows.",
    [RemoteParameters.remote, RemoteParameters.json] + RemoteConnection.parameters
  ) { arguments, console in
    let remote = try arguments[RemoteParameters.remote]
    let connection = try RemoteConnection(remote, arguments)
    let report: ServerReport
    do {
      report = try await connection.webDAV().probe()
    } catch let error as BackendError {
      throw ToolFailure(error, remote: connection.remote, isInspecting: true)
    }
    if try arguments[RemoteParameters.json] {
      console.print(json(report).text)
    } else {
      show(report, console)
    }
  }

  private static func show(_ report: ServerReport, _ console: Console) {
    if !report.server.isEmpty { console.print("server: \(DisplayText.printable(report.server))") }
    for law in report.laws {
      console.print(
        "\(law.isKept ? "yes" : "no ")  \(law.sentence) (\(law.milliseconds) ms): \(law.consequence)")
    }
  }

  private static func json(_ report: ServerReport) -> JSONValue {
    [
      "version": 1, "server": .string(report.server), "date": .integer(report.date),
      "laws": .array(
        report.laws.map { law in
          [
            "name": .string(law.name), "sentence": .string(law.sentence), "kept": .boolean(law.isKept),
            "milliseconds": .integer(Int64(law.milliseconds)), "consequence": .string(law.consequence),
          ]
        }),
    ]
  }
}
