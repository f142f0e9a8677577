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
  /// Names on standard error what was not listed, and what is not there.
  ///
  /// - Parameter status: how the command would end otherwise.
  /// - Returns: how it ends: what it shows is not all, whatever else it has found.
  func report(_ console: Console, otherwise status: ToolStatus = .success) -> ToolStatus {
    for sentence in sentences { console.complain("ticds-inspect: \(sentence)") }
    return isEmpty ? status : .incomplete
  }
}
