import CommandLineTool
import ObjectStore
import RemoteAccess
import SQLite
import SyncProtocol

/// Returns the exit statuses and sentences for the errors of the libraries.
enum NotebookFailures {
  @Sendable static func translate(_ error: any Error) -> ToolFailure? {
    switch error {
    case let error as SQLiteError: ToolFailure(error)
    case let error as StoreError: translate(error)
    default: nil
    }
  }

  /// The failure of a registration or synchronisation, with what can be done about it with this program.
  static func failure(_ error: SyncError, remote: String) -> ToolFailure {
    let failure = ToolFailure(error, remote: remote)
    return switch error.code {
    case .passwordRequired:
      ToolFailure(
        failure.status, failure.message,
        advice: "give the password that was chosen for it with --password-file")
    case .documentNotFound:
      ToolFailure(
        failure.status, failure.message,
        advice:
          "wait if the storage is still delivering it; if it was lost for good, “notebook refill” writes it again from this notebook"
      )
    default: failure
    }
  }

  private static func translate(_ error: StoreError) -> ToolFailure {
    switch error.reason {
    case .database(let failure): ToolFailure(failure)
    case .missing: ToolFailure(.notFound, "the store “\(error.path)” does not exist")
    case .notAStore, .damagedMetadata:
      ToolFailure(.damaged, "the store “\(error.path)” is damaged", advice: "restore it from a copy")
    case .modelMismatch, .unknownVersion, .cannotInfer, .migrationRefused, .migrationFailed, .cancelled:
      ToolFailure(
        .unsupported, "the store “\(error.path)” was made by another version of this program",
        advice: "use that version")
    case .externalFile(let detail):
      ToolFailure(.forbidden, "“\(error.path)” cannot be written: \(detail)")
    case .full:
      ToolFailure(.full, "“\(error.path)” cannot be written: the disk is full", advice: "free some space")
    case .readOnly: ToolFailure(.forbidden, "the store “\(error.path)” may not be written")
    }
  }
}
