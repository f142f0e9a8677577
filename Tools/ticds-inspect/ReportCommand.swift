import CommandLineTool
import Foundation
import Inspection
import InspectionReport
import StoreAccess

/// `report`: everything about a remote on one page for a browser.
enum ReportCommand {
  private static let html = Parameter.requiredName(
    "html", placeholder: "FILE", "The file that the page is written to; one that is there is replaced.")

  static let command = RemoteParameters.command(
    "report", "Writes a page that shows everything about the remote: findings, devices, sizes, changes.",
    [html]
  ) { inspector, arguments, console in
    let remote = try arguments[RemoteParameters.remote]
    let file = URL(filePath: try arguments[html])
    try refuse(file, within: remote)
    let report = try await inspector.report(
      named: remote, made: .now, visitor: SetProgress(console: console))
    let bytes = Data(ReportPage(report).html.utf8)
    do {
      try bytes.write(to: file, options: .atomic)
    } catch {
      let failure = ToolFailure(storeError: error)
      let isFull = failure?.status == .full
      throw ToolFailure(
        isFull ? .full : .forbidden, "the report cannot be written to “\(file.path(percentEncoded: false))”",
        advice: isFull ? failure?.advice : "name a file in a folder that you may write to")
    }
    let outcome = report.verification.outcome
    if try arguments[RemoteParameters.json] {
      let members: JSONValue = [
        "version": 1, "file": .string(file.path(percentEncoded: false)),
        "bytes": .integer(Int64(bytes.count)),
        "outcome": .string(outcome.rawValue),
      ]
      console.print(members.text)
    } else {
      console.print(
        "\(DisplayText.printable(file.path(percentEncoded: false))): \(ByteSize.text(Int64(bytes.count)))")
    }
    return VerifyCommand.status(outcome)
  }

  /// A report within the remote would be an entry that is not ours, and reach every device.
  private static func refuse(_ file: URL, within remote: String) throws(ToolFailure) {
    let folder = URL(string: remote).flatMap { $0.isFileURL ? $0 : nil } ?? URL(filePath: remote)
    let outer = folder.resolvingSymlinksInPath().standardizedFileURL.pathComponents
    let inner = file.deletingLastPathComponent().resolvingSymlinksInPath().standardizedFileURL.pathComponents
    guard !inner.starts(with: outer) else {
      throw .usage("--html names a file within the remote", advice: "name one outside")
    }
  }
}
