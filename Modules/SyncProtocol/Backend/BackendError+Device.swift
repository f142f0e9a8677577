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

extension BackendError {
  /// Whether a failure is one of this device: its disk, its permissions, its memory, its file handles. Such a failure tells nothing of
  /// the file that was looked at, so nobody may judge the file by it.
  package static func isOfThisDevice(_ error: any Error) -> Bool {
    switch error {
    case let error as BackendError: error.code == .localFile
    case let error as CryptoError: error.code == .fileFailure
    case let error as CocoaError: error.isAboutFile
    case is POSIXError: true
    case let error as SyncError: error.underlying.map(isOfThisDevice) ?? (error.code == .storeFull)
    default: databaseFailure(behind: error)?.isOfThisDevice ?? false
    }
  }

  /// A failure of this device as ``Code/localFile``; `nil` for one that tells something of what was looked at.
  package init?(ofThisDevice error: any Error) {
    guard Self.isOfThisDevice(error) else { return nil }
    if let error = error as? BackendError {
      self = error
      return
    }
    if let beneath = (error as? SyncError)?.underlying, let failure = Self(ofThisDevice: beneath) {
      self = failure
      return
    }
    let (place, words, number): (String?, String, Int32?) =
      switch error {
      case let error as CryptoError: (error.path, error.detail, error.systemError)
      case let error as CocoaError: (error.filePath, error.localizedDescription, error.systemError)
      case let error as POSIXError: (nil, error.localizedDescription, error.code.rawValue)
      default:
        databaseFailure(behind: error).map { ($0.path, $0.message, $0.numberOfSystem) }
          ?? (nil, "\(error)", (error as? SyncError)?.systemError)
      }
    self.init(
      .localFile, path: .root, detail: place.map { "“\($0)”: \(words)" } ?? words, systemError: number)
  }
}

extension CocoaError {
  /// Whether it is about reading or writing a file, and not about what a file holds.
  fileprivate var isAboutFile: Bool { (0..<1024).contains(code.rawValue) }
}

extension SQLiteError {
  /// The system's number, or the one that says the same.
  fileprivate var numberOfSystem: Int32? {
    if systemError != 0 { return systemError }
    switch code {
    case .full: return ENOSPC
    case .readOnly, .cannotOpen: return EACCES
    case .noMemory: return ENOMEM
    default: return nil
    }
  }
}
