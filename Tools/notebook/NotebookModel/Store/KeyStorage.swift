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
    let others = ring.identifiers.filter { $0 != ring.primary.identifier }.compactMap { ring[$0] }
    var text: [UInt8] = []
    for key in [ring.primary] + others {
      key.withUnsafeBytes { bytes in
        for byte in bytes { text += [Self.digit(byte >> 4), Self.digit(byte & 15)] }
      }
      text.append(UInt8(ascii: "\n"))
    }
    let descriptor = open(file.path(percentEncoded: false), O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw failure("be made") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(text))
      try handle.synchronize()
    } catch {
      throw failure("be written")
    }
  }

  /// Reads the keys.
  func read() throws -> KeyRing {
    let data: Data
    do {
      data = try FileHandle(forReadingFrom: file).read(upToCount: Self.sizeLimit) ?? Data()
    } catch {
      throw failure("be read")
    }
    var keys: [MasterKey] = []
    for line in data.split(separator: UInt8(ascii: "\n")) {
      guard let bytes = Self.bytes(line), let key = try? MasterKey(SecretBytes(copying: bytes)) else {
        throw damaged
      }
      keys.append(key)
    }
    guard let first = keys.first else { throw damaged }
    return KeyRing(first, others: Array(keys.dropFirst()))
  }

  private var damaged: ToolFailure {
    ToolFailure(
      .damaged, "the key file “\(file.path(percentEncoded: false))” is damaged",
      advice: "restore it from a copy, or join the remote with a new store")
  }

  private func failure(_ what: String) -> ToolFailure {
    let status: ToolStatus = errno == ENOSPC || errno == EDQUOT ? .full : .forbidden
    return ToolFailure(status, "the key file “\(file.path(percentEncoded: false))” cannot \(what)")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  private static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    guard digits.count == 2 * MasterKey.size else { return nil }
    var bytes: [UInt8] = []
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
