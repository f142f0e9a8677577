import TICDSHTTP
import SyncProtocol

extension WebDAVSession {
  /// How long a temporary file that is left may be tried to be removed, while somebody waits.
  private static let cleaningLimit = Duration.seconds(5)

  /// Carries an operation out.
  func run(
    _ operation: some DAVOperation, body: HTTPRequest.Body = .none, progress: TransferProgress? = nil
  ) async throws(BackendError) {
    var operation = operation
    var step = operation.start()
    while true {
      switch step {
      case .send(let request):
        step = operation.next(await perform(request, body: body, progress: progress))
      case .finish: return
      case .fail(let error): throw error
      case .clean(let target, let error):
        await clean(target)
        throw error
      }
    }
  }

  /// Removes a temporary file also if the task was cancelled. If that fails, somebody sweeps it up in a day.
  private func clean(_ target: Target) async {
    let removal = Task { _ = await perform(.delete(target)) }
    let limit = Task {
      try await Task.sleep(for: Self.cleaningLimit)
      removal.cancel()
    }
    await removal.value
    limit.cancel()
  }

  /// Finds out why a request that reads has failed.
  func reason(of failure: Failure, at path: RemotePath) async -> BackendError {
    let isAbsent = failure.code == .notFound
    var diagnosis = Diagnosis(path, .using, failure, isAbsent: isAbsent)
    var step = diagnosis.start()
    while true {
      switch step {
      case .look(let subject): step = diagnosis.next(await perform(.look(subject)))
      case .verdict(let error), .appeared(let error): return error
      }
    }
  }
}
