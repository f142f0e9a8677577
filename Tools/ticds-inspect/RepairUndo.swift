import CommandLineTool
import Foundation
import Inspection
import RemoteAccess
import SyncProtocol

/// `repair --undo`: takes back what a repair has done, and names what is not as it was.
struct RepairUndo {
  let connection: RemoteConnection
  /// The remote as it was named.
  let remote: String
  /// The quarantine.
  let folder: String
  let console: Console

  /// The version of what `--json` prints.
  private static let version: JSONValue = 2

  func run(anyway: Bool, isJSON: Bool) async throws -> ToolStatus {
    if Quarantine.isUnused(at: folder) {
      console.print(isJSON ? Self.json([]).text : "Nothing was done yet.")
      return .success
    }
    try requireQuarantine()
    let quarantine = try Quarantine(at: folder)
    let (mark, connection) = (quarantine.mark, connection)
    let left = try await RemoteRepair(
      backend: RetryingBackend(try connection.open(mark: mark)), quarantine: quarantine
    ) { (folder) async throws(BackendError) in
      if let mark { try await connection.removeUnfinished(of: mark, in: folder) }
    }.undo(anyway: anyway)
    if isJSON { console.print(Self.json(left).text) } else { show(left) }
    guard !left.isEmpty else { return .success }
    return left.allSatisfy(\.reason.isTakenByOthers) ? .warnings : .incomplete
  }

  /// Refuses what is no folder of a repair.
  private func requireQuarantine() throws(ToolFailure) {
    var isFolder: ObjCBool = false
    let advice = "name the folder that the repair has made"
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw ToolFailure(.notFound, "there is no quarantine “\(folder)”", advice: advice)
    }
    guard isFolder.boolValue, Quarantine.isPresent(at: folder) else {
      throw ToolFailure(.notFound, "“\(folder)” is no quarantine of a repair", advice: advice)
    }
  }

  // MARK: Showing

  private static func json(_ left: [UndoRemainder]) -> JSONValue {
    [
      "version": version,
      "left": .array(
        left.map { remainder in
          [
            "path": remainder.path.map { .string("\($0)") } ?? .null,
            "reason": .string(remainder.reason.words),
          ]
        }),
    ]
  }

  private func show(_ left: [UndoRemainder]) {
    for remainder in left {
      console.print("left: \(DisplayText.printable(remainder.path.map { "\($0)" } ?? "in the quarantine"))")
      console.print("  \(DisplayText.printable(remainder.reason.words))")
    }
    guard !left.isEmpty else { return console.print("The remote is as it was.") }
    guard !left.allSatisfy(\.reason.isTakenByOthers) else { return console.print("All else is as it was.") }
    console.print("All else that the log tells of is as it was.")
    console.print(
      "Put back what the quarantine has lost, if you have a copy of it, and undo again: that does the rest. If not, “ticds-inspect verify” tells what the remote lacks."
    )
    console.complain(
      "ticds-inspect: the quarantine is damaged, so the remote is not as it was, or may not be.")
  }

  /// Why nothing was undone; `nil` for other failures.
  static func failure(_ error: RepairError, remote: String) -> ToolFailure? {
    switch error {
    case .otherVersion(let path):
      return ToolFailure(
        .unsupported,
        "the quarantine “\(PrintableText.line(path))” was made by another version of this program",
        advice: "undo the repair with that")
    case .anotherRemote(let scopes):
      let names = scopes.prefix(3).map { "“\($0)”" }.joined(separator: ", ")
      return ToolFailure(
        .notFound,
        "“\(PrintableText.line(remote))” is not the remote that was repaired, or it was emptied since: it has nothing of what lay in \(names)",
        advice:
          "name the remote that was repaired; of several repairs undo the last one first; --yes undoes it here all the same"
      )
    case .builtOn(let writers):
      let names = writers.prefix(10).map { writer in
        let name = writer.name.map { "“\(PrintableText.line($0))” (\(writer.author))" } ?? writer.author
        return "\(name) wrote “\(writer.head)”"
      }
      let others = writers.count > names.count ? ", and others" : ""
      return ToolFailure(
        .undecided,
        "devices have synchronised since the document was made anew: \(names.joined(separator: ", "))\(others); they would miss what they have merged of it",
        advice: "leave it as it is, and repair what is wrong now; --yes takes it back all the same")
    case .quarantine(let path, let reason, nil):
      return ToolFailure(
        .forbidden, "the quarantine “\(PrintableText.line(path))” cannot be used: \(reason)",
        advice: "put back a copy of what it has lost, if you have one, and undo again")
    default: return nil
    }
  }
}
