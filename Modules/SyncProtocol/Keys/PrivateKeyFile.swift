import Crypto
import TICDSOpenSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Keys in a file that only its owner can read: one key a line in hexadecimal digits, the one that seals first.
///
/// Whoever can read it can read a store beside it anyway. Keep it out of folders that are carried elsewhere, the remote above all.
public struct PrivateKeyFile: KeyStorage {
  /// Where the file lies.
  public let path: String

  /// A file, which need not exist yet. Its folder must.
  public init(path: String) { self.path = path }

  /// Larger files are damaged: nobody has a thousand keys.
  static let sizeLimit = 64 * 1024

  /// The keys in the file; `nil` if there is no file.
  public func load() throws(SyncError) -> KeyRing? {
    guard var text = try content() else { return nil }
    defer { SecretBytes.erase(&text) }
    guard text.count < Self.sizeLimit else { throw damaged }
    var keys: [MasterKey] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard var bytes = Self.bytes(line) else { throw damaged }
      defer { SecretBytes.erase(&bytes) }
      guard let key = try? MasterKey(SecretBytes(copying: bytes)) else { throw damaged }
      keys.append(key)
    }
    guard let first = keys.first else { throw damaged }
    return KeyRing(first, others: Array(keys.dropFirst()))
  }

  /// Writes a new file and puts it in place of the one that is there.
  public func save(_ keys: KeyRing) throws(SyncError) {
    let draft = PrivateKeyFile(path: path + ".new")
    unlink(draft.path)
    try draft.write(keys)
    guard rename(draft.path, path) == 0 else {
      let failure = failure("written")
      unlink(draft.path)
      throw failure
    }
  }

  /// Makes the file, which must not exist.
  private func write(_ ring: KeyRing) throws(SyncError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("made") }
    defer { close(descriptor) }
    let keys = ring.all
    // Digits are put into their final place, for an array that grows leaves copies behind.
    var text = [UInt8](repeating: UInt8(ascii: "\n"), count: keys.count * Self.lineLength)
    defer { SecretBytes.erase(&text) }
    for (line, key) in keys.enumerated() {
      key.withUnsafeBytes { bytes in
        for (index, byte) in bytes.enumerated() {
          text[line * Self.lineLength + 2 * index] = Self.digit(byte >> 4)
          text[line * Self.lineLength + 2 * index + 1] = Self.digit(byte & 15)
        }
      }
    }
    var start = 0
    while start < text.count {
      let written = text.withUnsafeBytes { systemWrite(descriptor, $0[start...]) }
      guard written > 0 || errno == EINTR else { throw failure("written") }
      start += max(written, 0)
    }
    guard fsync(descriptor) == 0 else { throw failure("written") }
  }

  /// The bytes of the file, in memory that nothing else has seen; `nil` if there is no file.
  private func content() throws(SyncError) -> [UInt8]? {
    // A pipe in its place would be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("read")
    }
    defer { close(descriptor) }
    var failed = false
    let text = [UInt8](unsafeUninitializedCapacity: Self.sizeLimit) { buffer, count in
      while count < Self.sizeLimit {
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let number = systemRead(descriptor, rest)
        if number < 0, errno == EINTR { continue }
        failed = number < 0
        guard number > 0 else { return }
        count += number
      }
    }
    if failed { throw failure("read") }
    return text
  }

  private static let lineLength = 2 * MasterKey.size + 1

  private var damaged: SyncError {
    SyncError(
      .keysDamaged, subject: path, "The key file is damaged.",
      recovery: "Restore it from a copy, or remove it and join with the password.")
  }

  private func failure(_ what: String) -> SyncError {
    let number = errno
    if SyncError.isFull(number) {
      return SyncError(
        .storeFull, subject: path, "The key file cannot be \(what): the disk is full.",
        recovery: "Make room, then try again.")
    }
    return SyncError(
      .keysUnreadable, subject: path, "The key file cannot be \(what): \(String(cString: strerror(number))).",
      recovery: "Check that the file and its folder belong to you.")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  private static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    guard digits.count == 2 * MasterKey.size else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(MasterKey.size)
    var high: UInt8?
    for digit in digits {
      guard let value = value(digit) else {
        SecretBytes.erase(&bytes)
        return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 97...102: digit - 87
    default: nil
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
  let rest = UnsafeRawBufferPointer(rebasing: bytes)
  return write(descriptor, rest.baseAddress, rest.count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, bytes.baseAddress, bytes.count)
}
