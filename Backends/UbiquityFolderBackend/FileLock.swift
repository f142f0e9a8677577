import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock between programs on one device (`flock`), waited for without holding up a thread.
struct FileLock: Sendable {
  private let path: String

  init(path: String) { self.path = path }

  /// A lock that is held until it is released.
  struct Held: Sendable {
    fileprivate let descriptor: Int32

    func release() { close(descriptor) }
  }

  /// Takes the lock.
  ///
  /// - Throws: `locked` if it is not free within ten seconds, `cancelled`, or `localFile`.
  func acquire(_ subject: RemotePath) async throws(BackendError) -> Held {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw BackendError(
        .localFile, path: subject, detail: "the provider's lock cannot be opened: errno \(errno)")
    }
    for _ in 0..<2_000 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return Held(descriptor: descriptor) }
      do {
        try await Task.sleep(for: .milliseconds(5))
      } catch {
        close(descriptor)
        throw BackendError(.cancelled, path: subject)
      }
    }
    close(descriptor)
    throw BackendError(.locked, path: subject, detail: "by the provider")
  }

  /// Whether something at a path is a file, and its size; `nil` if nothing is there. Links are not followed.
  static func status(of path: String) -> (isFile: Bool, size: Int64)? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return (status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size))
  }
}
