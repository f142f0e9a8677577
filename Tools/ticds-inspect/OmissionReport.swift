import CommandLineTool
import Inspection
import RemoteAccess

/// What a command could not look at, so that what it shows is not all.
protocol Omissions {
  var isEmpty: Bool { get }
  /// One for each, for a person.
  var sentences: [String] { get }
}

extension [UnlistedFolder]: Omissions {}
extension HistoryOmissions: Omissions {}

extension Omissions {
  /// Names on standard error what was not listed, or is not there.
  ///
  /// - Parameter status: how the command would end otherwise.
  /// - Returns: how it ends: what it shows is not all, whatever else it has found.
  func report(_ console: Console, otherwise status: ToolStatus = .success) -> ToolStatus {
    for sentence in sentences { console.complain("ticds-inspect: \(sentence)") }
    return isEmpty ? status : .incomplete
  }
}
