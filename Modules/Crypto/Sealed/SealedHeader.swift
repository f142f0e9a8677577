import TICDSOpenSSL

/// The first 52 bytes of a sealed container (`Docs/Formats/SealedContainer.md`).
struct SealedHeader: Equatable {
  static let magic: [UInt8] = [0x89] + Array("TISEAL".utf8) + [0x0a]
  static let version: UInt8 = 1
  /// AES-256-GCM segments in the STREAM construction, keys by HKDF-SHA256.
  static let algorithm: UInt8 = 1
  static let size = 52
  static let saltSize = 32

  let segmentSize: SegmentSize
  let keyIdentifier: KeyIdentifier
  let salt: [UInt8]

  init(segmentSize: SegmentSize, keyIdentifier: KeyIdentifier, salt: [UInt8]) {
    self.segmentSize = segmentSize
    self.keyIdentifier = keyIdentifier
    self.salt = salt
  }

  var bytes: [UInt8] {
    Self.magic + [Self.version, Self.algorithm, segmentSize.logarithm, 0] + keyIdentifier.bytes + salt
  }

  /// Reads the header at the beginning of a container.
  init(parsing bytes: [UInt8]) throws(CryptoError) {
    guard bytes.starts(with: Self.magic) else {
      if bytes.isCutShort(of: Self.magic) {
        throw CryptoError(.truncated, "ends within the first bytes", offset: 0)
      }
      let what = bytes.isEmpty ? "the file is empty" : "does not begin as a sealed container does"
      throw CryptoError(.unrecognizedFormat, what, offset: 0)
    }
    var reader = HeaderReader(bytes[Self.magic.count...])
    let version = try reader.byte("the version")
    guard version == Self.version else {
      throw CryptoError(.unsupportedVersion, "version \(version), known is \(Self.version)", offset: 8)
    }
    let algorithm = try reader.byte("the algorithm")
    guard algorithm == Self.algorithm else {
      throw CryptoError(.unsupportedVersion, "algorithm \(algorithm), known is \(Self.algorithm)", offset: 9)
    }
    let logarithm = try reader.byte("the segment size")
    guard let segmentSize = SegmentSize(logarithm: logarithm) else {
      throw CryptoError(.damaged, "segments of 2^\(logarithm) bytes are not permitted", offset: 10)
    }
    let reserved = try reader.byte("the reserved byte")
    guard reserved == 0 else {
      throw CryptoError(.damaged, "the reserved byte is \(reserved), not 0", offset: 11)
    }
    let identifier = try reader.array(KeyIdentifier.size, "the key identifier")
    guard let keyIdentifier = KeyIdentifier(bytes: identifier) else {
      throw CryptoError(.damaged, "the key identifier has a wrong length", offset: 12)
    }
    self.init(
      segmentSize: segmentSize, keyIdentifier: keyIdentifier,
      salt: try reader.array(Self.saltSize, "the salt")
    )
  }
}
