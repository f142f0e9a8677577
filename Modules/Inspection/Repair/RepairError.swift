import SyncProtocol

/// Why a repair ended. What was done until then can be undone.
public enum RepairError: Error, Sendable {
  /// The remote failed.
  case storage(BackendError)
  /// The quarantine cannot be used.
  case quarantine(path: String, reason: String)
}
