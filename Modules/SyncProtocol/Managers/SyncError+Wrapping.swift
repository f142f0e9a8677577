import ChangeTracking
import Crypto
import Foundation
import SQLite

extension SyncError {
  /// Translates any failure from the layers below into its meaning for a person who synchronises.
  init(wrapping error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as BackendError: self.init(error)
    case let error as CryptoError: self.init(error)
    case let error as SQLiteError: self.init(error)
    case let error as ReplicaError:
      self.init(.store, subject: error.subject, error.message, recovery: error.recovery, underlying: error)
    case let error as FormatError:
      self.init(.damaged, error.description + ".", recovery: error.recovery, underlying: error)
    case let error as CocoaError:
      self.init(
        error.code == .fileWriteOutOfSpace ? .storeFull : .store, subject: error.filePath ?? "",
        error.localizedDescription, recovery: "Check the disk and the permissions of the store's folder.",
        underlying: error)
    case is CancellationError:
      self.init(
        .cancelled, "The synchronisation was cancelled.",
        recovery: "Start again when you like; the next one continues.", underlying: error)
    default:
      self.init(
        .failed, "\(error)", recovery: "Report the message together with what was done.", underlying: error)
    }
  }

  private init(_ error: BackendError) {
    let cancelled = error.code == .cancelled
    self.init(
      cancelled ? .cancelled : .storage, subject: "", error.description + ".", recovery: error.recovery,
      underlying: error)
  }

  private init(_ error: CryptoError) {
    let code: Code =
      switch error.code {
      case .wrongPassword, .invalidPassword: .wrongPassword
      case .unknownKey: .keyMissing
      case .cancelled: .cancelled
      case .fileFailure: .store
      default: .damaged
      }
    self.init(code, error.description + ".", recovery: error.recovery, underlying: error)
  }

  private init(_ error: SQLiteError) {
    let code: Code =
      switch error.code {
      case .busy, .locked: .storeBusy
      case .full: .storeFull
      default: .store
      }
    let message = "The store reports: \(error.message)."
    self.init(code, subject: error.path, message, recovery: error.recovery, underlying: error)
  }

  /// The same failure, told about a file on the remote.
  static func damaged(_ path: RemotePath, _ error: any Error) -> SyncError {
    var wrapped = SyncError(wrapping: error)
    wrapped.subject = "“\(path)” on the remote"
    return wrapped
  }
}
