import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file, closed when it goes out of use.
struct OpenFile: ~Copyable {
  private static let pieceSize = 256 << 10
  private static let probeSize = 512
  let descriptor: Int32
  /// Its size in bytes when it was opened, if it was looked at then.
  private let openedSize: off_t?

  init(owning descriptor: Int32, size: off_t? = nil) {
    self.descriptor = descriptor
    openedSize = size
  }

  deinit { close(descriptor) }

  /// Everything in the file, if that is at most `limit` bytes.
  func read(limit: Int, _ path: RemotePath) throws(BackendError) -> [UInt8] {
    let place = Place.remote(path)
    let size = if let openedSize { openedSize } else { try size(place) }
    guard Int64(size) <= Int64(limit) else {
      throw BackendError(.tooLarge, path: path, detail: "\(size) bytes, at most \(limit) expected")
    }
    // One byte more than the size shows whether the file is at its end without another piece.
    var bytes: [UInt8] = []
    var room = Int(size) + 1
    var isProbing = false
    while true {
      var count = 0
      var number: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
        count = Self.retrying { Self.systemRead(descriptor, UnsafeMutableRawBufferPointer(buffer)) }
        number = errno
        initialized = max(count, 0)
      }
      guard count >= 0 else { throw place.failure(number) }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      if count == 0 { return bytes }
      guard bytes.count <= limit else {
        throw BackendError(.tooLarge, path: path, detail: "more than \(limit) bytes")
      }
      // The file is at its end, most likely, and a large piece costs more to make ready than a small file to read.
      isProbing = count < room && !isProbing
      room = min(isProbing ? Self.probeSize : Self.pieceSize, limit - bytes.count + 1)
    }
  }

  private func size(_ place: Place) throws(BackendError) -> off_t {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw place.failure }
    return status.st_size
  }

  /// Writes everything.
  func write(_ bytes: [UInt8], _ place: Place) throws(BackendError) {
    var number: Int32 = 0
    let complete = bytes.withUnsafeBytes { buffer in
      let complete = write(buffer)
      number = errno
      return complete
    }
    guard complete else { throw place.failure(number) }
  }

  /// Copies the rest of this file, a piece at a time.
  func copy(
    to target: borrowing OpenFile, _ cancellation: CancellationFlag, _ path: RemotePath, reading: Place,
    writing: Place, progress: TransferProgress
  ) throws(BackendError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var copied: Int64 = 0
    while true {
      try cancellation.check(path)
      let count = Self.retrying { Self.systemRead(descriptor, buffer) }
      guard count >= 0 else { throw reading.failure }
      if count == 0 {
        if copied == 0 { progress(0) }
        return
      }
      guard target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { throw writing.failure }
      copied += Int64(count)
      progress(copied)
    }
  }

  /// Waits until the content is on the disk.
  func flush(_ place: Place) throws(BackendError) {
    guard Self.retrying({ Int(fsync(descriptor)) }) == 0 else { throw place.failure }
  }

  private func write(_ buffer: UnsafeRawBufferPointer) -> Bool {
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = Self.retrying { Self.systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest)) }
      guard count >= 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Repeats a call that a signal interrupted.
  static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  private static func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.write(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}
