#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is read front to back.
package struct InputFile: ~Copyable {
  private let descriptor: Int32
  private let path: String

  package init(path: String) throws(CryptoError) {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    self.path = path
    guard descriptor >= 0 else { throw .systemFailure("cannot be opened", path: path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .systemFailure("cannot be opened", path: path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CryptoError(
        .fileFailure, status.st_mode & S_IFMT == S_IFDIR ? "is a folder" : "is no file that holds data",
        path: path)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Replaces the buffer's content by the next bytes, as many as it has room for; empty at the end of the file.
  package func read(into buffer: inout [UInt8], upTo count: Int) throws(CryptoError) {
    if buffer.count != count { buffer = [UInt8](repeating: 0, count: count) }
    var filled = 0
    while filled < count {
      let size = buffer.withUnsafeMutableBytes {
        systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      if size < 0, errno == EINTR { continue }
      guard size >= 0 else { throw .systemFailure("cannot be read", path: path) }
      if size == 0 { break }
      filled += size
    }
    buffer.removeLast(count - filled)
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}

extension CryptoError {
  /// What the system said last for this thread.
  static func systemFailure(_ what: String, path: String) -> CryptoError {
    let reason = errno
    var error = CryptoError(.fileFailure, "\(what): \(String(cString: strerror(reason)))", path: path)
    error.systemError = reason
    return error
  }
}
