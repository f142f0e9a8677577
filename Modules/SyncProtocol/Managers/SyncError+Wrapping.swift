import ChangeTracking
import Crypto
import Foundation
import TICDSSQLite
import SystemErrors

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
    case let error as CodecError:
      // Of what comes from the remote it is told at each file.
      self.init(
        .store, "The store holds what cannot be read: \(error.expected) expected at byte \(error.offset).",
        recovery: "Restore the store from a copy, or join the document anew.", underlying: error)
    case let error as FormatError:
      self.init(.damaged, error.description + ".", recovery: error.recovery, underlying: error)
    case let error as CocoaError:
      let isFull = error.systemError.map(Self.isFull) ?? false
      self.init(
        isFull ? .storeFull : .store, subject: error.filePath ?? "", error.localizedDescription,
        recovery: isFull
          ? Self.freeSpace
          : "Check the disk and the permissions of the file and of the folder that it is in.",
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
      case .fileFailure: error.systemError.map(Self.isFull) == true ? .storeFull : .store
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

  private static let freeSpace = "Free some disk space, then try again."

  /// Whether the system's number says that a disk, a quota or a limit on the size of files is reached.
  static func isFull(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// The system's number (`errno`) for a file or database on this device that it refused to read or write, where it is known.
  public var systemError: Int32? {
    switch underlying {
    case let error as BackendError: error.systemError
    case let error as CryptoError: error.systemError
    case let error as SQLiteError: error.systemError == 0 ? nil : error.systemError
    case let error as CocoaError: error.systemError
    default: nil
    }
  }

  /// The same failure, told about a file on the remote.
  static func damaged(_ path: RemotePath, _ error: any Error) -> SyncError {
    var wrapped = SyncError(wrapping: error)
    wrapped.subject = "“\(path)” on the remote"
    return wrapped
  }
}
