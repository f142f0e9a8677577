import Locking
import SyncProtocol

/// Remembers that this device failed while a remote was looked at: its folder for temporary files, its disk, its file handles. What was
/// found then says nothing of the remote, so whoever looks ends with that failure and not with findings.
final class DeviceFailures: Sendable {
  private let first = Locked<BackendError?>(nil)

  /// Notes an error if it is one of this device.
  ///
  /// - Returns: whether it is.
  @discardableResult
  func note(_ error: any Error) -> Bool {
    guard let failure = BackendError(ofThisDevice: error) else { return false }
    first.withLock { $0 = $0 ?? failure }
    return true
  }

  /// Ends what cannot be done on this device.
  func check() throws(InspectionError) {
    if let failure = first.withLock({ $0 }) { throw .storage(failure) }
  }
}

extension InspectionError {
  /// A failure of this device; `nil` for one that tells something of the remote.
  init?(ofThisDevice error: any Error) {
    guard let failure = BackendError(ofThisDevice: error) else { return nil }
    self = .storage(failure)
  }
}
