import Locking

extension SyncBackend {
  /// Copies a file to this device, and ends as soon as more has come than a limit: what the storage says of the size is not believed.
  ///
  /// - Throws: ``BackendError`` with `tooLarge` if there is more; nothing is left then.
  package func download(
    _ path: RemotePath, toFile localPath: String, limit: Int64, expecting size: Int64?,
    progress: WholeStoreProgress.Handler?
  ) async throws {
    let hasExceeded = Locked(false)
    let exceeded = AsyncStream<Void>.makeStream()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await download(path, toFile: localPath) { done in
            if done > limit {
              hasExceeded.withLock { $0 = true }
              exceeded.continuation.yield()
            } else {
              progress?(WholeStoreProgress(phase: .downloading, done: done, total: size ?? 0))
            }
          }
          exceeded.continuation.finish()
        }
        group.addTask { for await _ in exceeded.stream { throw BackendError(.tooLarge, path: path) } }
        defer { exceeded.continuation.finish() }
        do {
          while try await group.next() != nil {}
        } catch {
          group.cancelAll()
          throw error
        }
      }
    } catch {
      guard hasExceeded.withLock({ $0 }) else { throw error }
      // Not before the transfer has ended: it may have ended well meanwhile.
      LocalFile.remove(localPath)
      throw BackendError(.tooLarge, path: path)
    }
    guard let size = LocalFile.size(of: localPath), size <= limit else {
      LocalFile.remove(localPath)
      throw BackendError(.tooLarge, path: path)
    }
  }
}
