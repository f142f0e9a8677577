import ChangeTracking
import CommandLineTool
import ObjectStore
import RemoteAccess
import TICDSSQLite
import StoreAccess
import SyncProtocol

/// Returns the exit statuses and sentences for the errors of the libraries.
enum NotebookFailures {
  @Sendable static func translate(_ error: any Error) -> ToolFailure? {
    switch error {
    case let error as SQLiteError: ToolFailure(error)
    case let error as StoreError: translate(error)
    case let error as ReplicaError: translate(error)
    // What came of the storage was translated where the remote's name is known.
    case let error as SyncError where error.backendError == nil: failure(error, remote: "")
    default: ToolFailure(storeError: error)
    }
  }

  /// The failure of a registration or synchronisation, with what can be done about it with this program.
  static func failure(_ error: SyncError, remote: String) -> ToolFailure {
    if let waiting = error.backendError, waiting.wasAwaited {
      return ToolFailure(
        .remoteUnavailable,
        "“\(waiting.path)” on the remote “\(remote)” was waited for in vain: \(waiting.detail)",
        advice: "wait until the cloud service has caught up; the next sync continues")
    }
    let failure = ToolFailure(error, remote: remote)
    guard let advice = advice(error.code, recovery: error.recovery) else { return failure }
    return ToolFailure(failure.status, failure.message, advice: advice)
  }

  /// The failure of somebody who wants to join. Of a deleted document he has no notes that could be shared again.
  static func failure(ofJoining error: SyncError, remote: String) -> ToolFailure {
    guard error.code == .documentDeleted else { return failure(error, remote: remote) }
    let failure = ToolFailure(error, remote: remote)
    return ToolFailure(
      failure.status, failure.message,
      advice:
        "on a device that took part, “notebook delete-document” takes away what has come back; or name another document with --document"
    )
  }

  /// What can be done about a failure with this program, where that is more than the library can say.
  ///
  /// - Parameter recovery: what the library says.
  static func advice(_ code: SyncError.Code, recovery: String) -> String? {
    switch code {
    case .deviceRemoved: "“notebook rejoin” brings it back. \(recovery)"
    case .passwordRequired:
      recovery.replacing(
        "that was chosen for it", with: "that was chosen for it with --password-file", maxReplacements: 1)
    case .documentNotFound:
      "most often a drive is not mounted, or the address is another (“notebook remote” says where the remote lies); wait if the storage is still delivering it; only if the notes there are lost for good, “notebook refill” writes them again from this notebook"
    case .documentReplaced:
      "check that the drive is the right one and the address too (“notebook remote” says where the remote lies); wait if the storage is still delivering the one of this notebook; only if that was deleted or is lost for good, join with “notebook init” in a new folder; this notebook keeps its notes, and “notebook export” and “notebook import” bring them there"
    // A notebook comes into being with a store that is registered, so another has taken its place since.
    case .notRegistered:
      "its file was replaced by one that does not know what was synchronised, as by what “ticds-store copy” makes; put the file itself back; if that is lost, “notebook export” prints the notes of this one, and “notebook import” brings them into a new notebook that “notebook init” joins in another folder"
    case .documentDeleted:
      "this notebook keeps its notes; to share notes again, make a new notebook with “notebook init” in another folder; what “notebook export” prints of this one, “notebook import” brings in there\(doubt(of: recovery))"
    default: nil
    }
  }

  /// What the library says to whoever did not expect a deletion that anybody can have written down.
  private static func doubt(of recovery: String) -> String {
    recovery.firstRange(of: "If nobody has deleted it").map { ". \(recovery[$0.lowerBound...])" } ?? ""
  }

  /// What a store remembers of synchronising contradicts itself, or another version has written it.
  private static func translate(_ error: ReplicaError) -> ToolFailure? {
    switch error.code {
    case .newerBookkeeping, .olderBookkeeping:
      ToolFailure(
        .unsupported, "the store “\(error.subject)” was made by another version of this program",
        advice: "use that version")
    case .damagedBookkeeping, .invalidSnapshot:
      ToolFailure(
        .damaged, "the store “\(error.subject)” is damaged: \(ToolFailure.clause(error.message))",
        advice: "restore it from a copy; or move its folder away, and join the remote in a new one")
    default: nil
    }
  }

  private static func translate(_ error: StoreError) -> ToolFailure {
    switch error.reason {
    case .database(let failure): ToolFailure(failure)
    case .missing:
      ToolFailure(
        .notFound, "the store “\(error.path)” does not exist",
        advice:
          "restore it from a copy; or move the rest of its folder away, and join the remote in a new one")
    case .notAStore, .damagedMetadata:
      ToolFailure(.damaged, "the store “\(error.path)” is damaged", advice: "restore it from a copy")
    case .modelMismatch(let differences):
      ToolFailure(
        .unsupported,
        "the store “\(error.path)” was made by another version of this program, or is damaged\(differences.first.map { " (\($0))" } ?? "")",
        advice: "use that version, or restore it from a copy")
    case .unknownVersion, .cannotInfer, .migrationRefused, .migrationFailed, .cancelled:
      ToolFailure(
        .unsupported, "the store “\(error.path)” was made by another version of this program",
        advice: "use that version")
    case .externalFile(let detail):
      ToolFailure(.forbidden, "“\(error.path)” cannot be written: \(detail)")
    case .full:
      ToolFailure(.full, "“\(error.path)” cannot be written: the disk is full", advice: "free some space")
    case .readOnly: ToolFailure(.forbidden, "the store “\(error.path)” may not be written")
    case .unfinishedChange:
      ToolFailure(
        .damaged,
        "the store “\(error.path)” was left in the middle of a change, which is taken back by who writes it",
        advice: "run any command that writes, “notebook sync” for one")
    }
  }
}
