import UntrustedBytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that appears under its name only when it is complete.
///
/// It is written beside its place under a name that nobody else uses, readable by its owner only, and renamed by
/// ``commit()``. Without that, it is removed.
package struct OutputFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let temporaryPath: String

  private init(descriptor: Int32, path: String, temporaryPath: String) {
    self.descriptor = descriptor
    self.path = path
    self.temporaryPath = temporaryPath
  }

  package static func create(path: String, random: any RandomSource) throws(CryptoError) -> OutputFile {
    let suffix = HexadecimalDigits.text(try random.bytes(count: 8))
    let temporaryPath = "\(path).\(suffix).partial"
    let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .systemFailure("cannot be created", path: path) }
    return OutputFile(descriptor: descriptor, path: path, temporaryPath: temporaryPath)
  }

  deinit {
    close(descriptor)
    // After a commit the name is gone already.
    unlink(temporaryPath)
  }

  package func write(_ bytes: [UInt8]) throws(CryptoError) {
    var written = 0
    while written < bytes.count {
      let size = bytes.withUnsafeBytes {
        systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: $0[written...]))
      }
      if size < 0, errno == EINTR { continue }
      guard size > 0 else { throw .systemFailure("cannot be written", path: path) }
      written += size
    }
  }

  /// Makes the content durable, then gives the file its name, replacing what had it.
  package consuming func commit() throws(CryptoError) {
    guard fsync(descriptor) == 0 else { throw .systemFailure("cannot be written", path: path) }
    guard rename(temporaryPath, path) == 0 else { throw .systemFailure("cannot be replaced", path: path) }
  }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  write(descriptor, buffer.baseAddress, buffer.count)
}
