import Crypto
import Foundation
import TICDSSQLite
import Testing

@testable import SyncProtocol

/// Which failures tell of this device alone, and which of the file that was looked at.
@Suite struct DeviceFailureTests {
  private func sqlite(_ code: Int32, _ number: Int32 = 0) -> SQLiteError {
    SQLiteError(
      extendedCode: code, systemError: number, message: "words", sql: nil, path: "/folder/store.sqlite")
  }

  @Test func `a full disk, a lack of permission, memory or file handles say nothing of a file`() {
    let (ioError, cannotOpen, full, readOnly, noMemory): (Int32, Int32, Int32, Int32, Int32) = (
      10, 14, 13, 8, 7
    )
    let cases: [(any Error, Int32?)] = [
      (sqlite(full), ENOSPC), (sqlite(readOnly), EACCES), (sqlite(cannotOpen, EMFILE), EMFILE),
      (sqlite(noMemory), ENOMEM), (sqlite(ioError | 3 << 8, ENOSPC), ENOSPC),
      (sqlite(ioError | 3 << 8, EIO), EIO),
      (CocoaError(.fileWriteOutOfSpace), ENOSPC), (CocoaError(.fileWriteNoPermission), EACCES),
      (POSIXError(.EMFILE), EMFILE),
      (BackendError(.localFile, path: .root, detail: "words", systemError: EROFS), EROFS),
      (SyncError(wrapping: sqlite(full)), ENOSPC),
    ]
    for (error, number) in cases {
      #expect(WholeStoreTransfer.tellsNothing(error), "\(error)")
      let failure = BackendError(ofThisDevice: error)
      #expect(failure?.code == .localFile && failure?.systemError == number, "\(error)")
    }
    #expect(BackendError(ofThisDevice: sqlite(full))?.detail.contains("“/folder/store.sqlite”") == true)
  }

  @Test func `what a file holds, and what storage does with it, is no failure of this device`() {
    let (corrupt, noDatabase, shortRead): (Int32, Int32, Int32) = (11, 26, 10 | 2 << 8)
    let errors: [any Error] = [
      sqlite(corrupt), sqlite(noDatabase), sqlite(shortRead), CocoaError(.propertyListReadCorrupt),
      CryptoError(.authenticationFailed, "words"), CryptoError(.damaged, "words"),
      BackendError(.quotaExceeded, path: .root), BackendError(.forbidden, path: .root),
      BackendError(.unreachable, path: .root), WholeStoreTransfer.Refusal("words"),
    ]
    for error in errors {
      #expect(!WholeStoreTransfer.tellsNothing(error) && BackendError(ofThisDevice: error) == nil, "\(error)")
    }
  }
}
