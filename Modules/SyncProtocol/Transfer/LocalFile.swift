import ChangeTracking
import Crypto
import TICDSOpenSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Facts about a file on this device.
package enum LocalFile {
  /// Size in bytes; `nil` if the file cannot be examined.
  package static func size(of path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// The first bytes of a file, or all if there are not so many.
  ///
  /// - Throws: `CryptoError` with `fileFailure`.
  package static func beginning(of path: String, count: Int) throws(CryptoError) -> [UInt8] {
    var bytes: [UInt8] = []
    try InputFile(path: path).read(into: &bytes, upTo: count)
    return bytes
  }

  /// The hash of what a file holds, read a piece at a time.
  ///
  /// - Throws: `CryptoError` with `fileFailure`, `CancellationError`.
  package static func hash(of path: String) throws -> ContentHash {
    let input = try InputFile(path: path)
    var hash = SHA256()
    var piece: [UInt8] = []
    while true {
      try Task.checkCancellation()
      try input.read(into: &piece, upTo: 256 << 10)
      if piece.isEmpty { break }
      hash.update(piece)
    }
    return ContentHash(hash.finalize())
  }

  /// Removes a file if it is there.
  static func remove(_ path: String) { unlink(path) }

  /// Whether two files can be read and hold the same bytes. Reads them a piece at a time.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    guard let one = fopen(left, "rb") else { return false }
    defer { fclose(one) }
    guard let other = fopen(right, "rb") else { return false }
    defer { fclose(other) }
    let size = 64 << 10
    var pieces = ([UInt8](repeating: 0, count: size), [UInt8](repeating: 0, count: size))
    while true {
      let counts = (fread(&pieces.0, 1, size, one), fread(&pieces.1, 1, size, other))
      guard counts.0 == counts.1, pieces.0[..<counts.0] == pieces.1[..<counts.1] else { return false }
      if counts.0 == 0 { return ferror(one) == 0 && ferror(other) == 0 }
    }
  }
}
