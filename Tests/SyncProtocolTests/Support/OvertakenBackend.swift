import BackendConformance
import Synchronization
import SyncProtocol

/// Lets something else happen right after a certain request for a listing was answered, so that the answer is no longer true.
final class OvertakenBackend: ForwardingBackend {
  let backend: any SyncBackend
  private let after: Int
  private let action: @Sendable () async -> Void
  private let listings = Mutex(0)

  /// - Parameter after: the number of the listing, from 0 on.
  init(_ backend: any SyncBackend, after: Int, _ action: @escaping @Sendable () async -> Void) {
    self.backend = backend
    self.after = after
    self.action = action
  }

  /// Whether the listing was asked for.
  var wasOvertaken: Bool { listings.withLock { $0 > after } }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    let number = listings.withLock { listings in
      defer { listings += 1 }
      return listings
    }
    let answer: Result<RemoteListing, BackendError>
    do throws(BackendError) {
      answer = .success(try await backend.list(folder))
    } catch {
      answer = .failure(error)
    }
    if number == after { await action() }
    return try answer.get()
  }
}
