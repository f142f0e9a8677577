#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the body of a request comes from.
struct BodySource {
  private let body: HTTPRequest.Body
  private var descriptor: Int32 = -1
  /// How much has been read.
  private(set) var offset: Int64 = 0
  /// How long it is; `nil` without a body.
  private(set) var size: Int64?

  init(_ body: HTTPRequest.Body) { self.body = body }

  mutating func open() throws(HTTPError) {
    switch body {
    case .none: break
    case .bytes(let bytes): size = Int64(bytes.count)
    case .file(let path):
      #if canImport(Darwin)
        descriptor = Darwin.open(path, O_RDONLY | O_CLOEXEC)
      #elseif canImport(Musl)
        descriptor = Musl.open(path, O_RDONLY | O_CLOEXEC)
      #else
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      #endif
      var status = stat()
      guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw HTTPError(.localFile, "“\(path)” is no file")
      }
      size = Int64(status.st_size)
    }
  }

  mutating func read(into space: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
    switch body {
    case .none: return 0
    case .bytes(let bytes):
      let count = min(space.count, bytes.count - Int(offset))
      bytes.withUnsafeBytes { source in
        space.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[Int(offset)..<Int(offset) + count]))
      }
      offset += Int64(count)
      return count
    case .file(let path):
      // A file that has grown is sent as far as was announced; one that has shrunk cannot be.
      let wanted = Int(min(Int64(space.count), (size ?? 0) - offset))
      guard wanted > 0 else { return 0 }
      let count = pread(descriptor, space.baseAddress, wanted, off_t(offset))
      guard count >= 0 else { throw Self.failure(path) }
      guard count > 0 else {
        throw HTTPError(.localFile, "“\(path)” has become shorter while it was sent")
      }
      offset += Int64(count)
      return count
    }
  }

  mutating func seek(to offset: Int64) -> Bool {
    guard offset >= 0, offset <= size ?? 0 else { return false }
    self.offset = offset
    return true
  }

  mutating func close() {
    guard descriptor >= 0 else { return }
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #elseif canImport(Musl)
      Musl.close(descriptor)
    #else
      Glibc.close(descriptor)
    #endif
    descriptor = -1
  }

  private static func failure(_ path: String) -> HTTPError {
    .localFile("“\(path)” cannot be read")
  }
}
