import CommandLineTool
import Foundation
import Inspection
import InspectionReport
import StoreAccess

/// `report`: everything about a remote on one page for a browser.
enum ReportCommand {
  private static let html = Parameter.requiredName(
    "html", placeholder: "FILE", "The file that the page is written to; a page that is there is replaced.")

  static let command = RemoteParameters.command(
    "report", "Writes a page that shows everything about the remote: findings, devices, sizes, changes.",
    [html]
  ) { inspector, arguments, console in
    let remote = try arguments[RemoteParameters.remote]
    let path = try arguments[html]
    let file = URL(filePath: path)
    // It would be an entry that is not ours, and reach every device.
    try OutputPlace.requireReplaceable(path, beginning: ReportPage.beginning, arguments, named: "--html")
    let report = try await inspector.report(
      named: remote, inCommands: try RemoteParameters.given(arguments), made: .now,
      visitor: SetProgress(console: console))
    let page = ReportPage(report).html
    let bytes = page.utf8.count
    do {
      try WholeOutput.file(path, overwriting: true) { try $0(page) }
    } catch {
      let failure = error as? ToolFailure ?? ToolFailure(storeError: error)
      let isFull = failure?.status == .full
      throw ToolFailure(
        isFull ? .full : .forbidden, "the report cannot be written to “\(file.path(percentEncoded: false))”",
        advice: isFull ? failure?.advice : "name a file in a folder that you may write to")
    }
    let outcome = report.verification.outcome
    if try arguments[RemoteParameters.json] {
      let members: JSONValue = [
        "version": 1, "file": .string(file.path(percentEncoded: false)),
        "bytes": .integer(Int64(bytes)),
        "outcome": .string(outcome.rawValue),
      ]
      console.print(members.text)
    } else {
      console.print(
        "\(DisplayText.printable(file.path(percentEncoded: false))): \(ByteSize.text(Int64(bytes)))")
    }
    return VerifyCommand.status(outcome)
  }
}
