import CommandLineTool
import Crypto
import Foundation
import OpenSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps the master keys of an encrypted remote on this device, so that a sync needs no password.
///
/// The file has one key a line in hexadecimal digits, the one that seals first, and is readable by its owner only. Who can
/// read it can read the notes beside it anyway; the password, which may be used elsewhere, is not kept.
struct KeyStorage {
  let file: URL

  static let sizeLimit = 64 * 1024

  /// Writes the keys. The file must not exist.
  func write(_ ring: KeyRing) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("be made") }
    defer { close(descriptor) }
    try write(ring, to: descriptor)
  }

  /// Writes other keys in place of those that are there; a crash leaves the ones or the others.
  func replace(with ring: KeyRing) throws {
    let draft = KeyStorage(file: file.appendingPathExtension("new"))
    unlink(draft.path)
    try draft.write(ring)
    guard rename(draft.path, path) == 0 else { throw failure("be written") }
  }

  private func write(_ ring: KeyRing, to descriptor: Int32) throws {
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
      let written = text.withUnsafeBytes { bytes -> Int in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        return systemWrite(descriptor, rest.baseAddress, rest.count)
      }
      guard written > 0 || errno == EINTR else { throw failure("be written") }
      start += max(written, 0)
    }
    guard fsync(descriptor) == 0 else { throw failure("be written") }
  }

  /// Reads the keys.
  func read() throws -> KeyRing {
    var text = try content()
    defer { SecretBytes.erase(&text) }
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

  /// The bytes of the file, in memory that nothing else has seen.
  private func content() throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("be read") }
    defer { close(descriptor) }
    var failed = false
    let text = [UInt8](unsafeUninitializedCapacity: Self.sizeLimit) { buffer, count in
      while count < Self.sizeLimit {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let number = systemRead(descriptor, bytes.baseAddress, bytes.count)
        if number < 0, errno == EINTR { continue }
        failed = number < 0
        guard number > 0 else { return }
        count += number
      }
    }
    if failed { throw failure("be read") }
    return text
  }

  private static let lineLength = 2 * MasterKey.size + 1
  private var path: String { file.path(percentEncoded: false) }

  private var damaged: ToolFailure {
    ToolFailure(
      .damaged, "the key file “\(path)” is damaged",
      advice: "restore it from a copy, or join the remote with a new store")
  }

  private func failure(_ what: String) -> ToolFailure {
    let status: ToolStatus = errno == ENOSPC || errno == EDQUOT ? .full : .forbidden
    return ToolFailure(status, "the key file “\(path)” cannot \(what)")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  private static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    guard digits.count == 2 * MasterKey.size else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(MasterKey.size)
    var high: UInt8?
    for digit in digits {
      let value: UInt8
      switch digit {
      case 48...57: value = digit - 48
      case 97...102: value = digit - 87
      default: return nil
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
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
