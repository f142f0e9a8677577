import CommandLineTool
import Inspection
import RemoteAccess

extension [UnlistedFolder] {
  /// Names on standard error what was not listed.
  ///
  /// - Parameter status: how the command would end otherwise.
  /// - Returns: how it ends: what it shows is not all, whatever else it has found.
  func report(_ console: Console, otherwise status: ToolStatus = .success) -> ToolStatus {
    for sentence in sentences { console.complain("ticds-inspect: \(sentence)") }
    return isEmpty ? status : .incomplete
  }
}

extension HistoryOmissions {
  /// The sets that are not there, for programs.
  var json: JSONValue {
    .array(
      missing.map {
        [
          "document": .string($0.document), "author": .string($0.author.description),
          "sequence": .integer(Int64(clamping: $0.sequence)),
        ]
      })
  }

  /// Names on standard error what was not listed, and what is not there.
  ///
  /// - Parameter status: how the command would end otherwise.
  /// - Returns: how it ends: what it shows is not all, whatever else it has found.
  func report(_ console: Console, otherwise status: ToolStatus = .success) -> ToolStatus {
    for set in missing {
      console.complain(
        PrintableText.line(
          "ticds-inspect: set \(set.sequence) of author \(set.author) of “\(set.document)” is not there, and perhaps others that follow; what they tell is not shown."
        ))
    }
    return unlisted.report(console, otherwise: missing.isEmpty ? status : .incomplete)
  }
}
