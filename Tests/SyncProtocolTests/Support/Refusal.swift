@testable import SyncProtocol

/// How an operation fails; `nil` if it succeeds.
func failure(_ operation: () async throws -> Void) async -> SyncError? {
  do {
    try await operation()
    return nil
  } catch {
    return error as? SyncError
  }
}

/// With which code an operation is refused; `nil` if it succeeds.
func refusal(_ operation: () async throws -> Void) async -> SyncError.Code? { await failure(operation)?.code }
