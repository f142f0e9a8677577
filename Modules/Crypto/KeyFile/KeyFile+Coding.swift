import TICDSOpenSSL

extension KeyFile {
  static let magic: [UInt8] = [0x89] + Array("TIKEYS".utf8) + [0x0a]
  static let version: UInt8 = 1
  /// Greatest size of a file in bytes.
  public static let maximumSize = 4096

  private static let headerSize = 18
  private static let codeSize = HMACSHA256.codeSize
  private static let checksumSize = SHA256.digestSize

  /// The file.
  public var bytes: [UInt8] {
    let authenticated = Self.content(slots: slots, keyIdentifier: keyIdentifier) + code
    return authenticated + SHA256.hash(authenticated).bytes
  }

  /// What the code at the end is computed over.
  static func content(slots: [Slot], keyIdentifier: KeyIdentifier) -> [UInt8] {
    magic + [version, UInt8(slots.count)] + keyIdentifier.bytes
      + slots.flatMap { $0.descriptor + $0.wrappedKey }
  }

  /// Whether bytes begin as a key file of any version does; the first 8 are enough.
  public static func isKeyFile(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: magic) }

  /// Reads a file. Only unlocking tells whether it is genuine; a damaged or incomplete one is found out here.
  ///
  /// - Throws: ``CryptoError`` with `unrecognizedFormat`, `unsupportedVersion`, `truncated`, `damaged`, or `limitExceeded`
  ///   if it is too long or asks for more memory or time than `limits` permit.
  public init(parsing bytes: [UInt8], limits: Limits = .standard) throws(CryptoError) {
    guard Self.isKeyFile(bytes) else {
      if bytes.isCutShort(of: Self.magic) {
        throw CryptoError(.truncated, "ends within the first bytes", offset: 0)
      }
      let what = bytes.isEmpty ? "the file is empty" : "does not begin as a key file does"
      throw CryptoError(.unrecognizedFormat, what, offset: 0)
    }
    guard bytes.count <= Self.maximumSize else {
      throw CryptoError(
        .limitExceeded, "a key file has at most \(Self.maximumSize) bytes, not \(bytes.count)")
    }
    var reader = HeaderReader(bytes[Self.magic.count...])
    let version = try reader.byte("the version")
    guard version == Self.version else {
      throw CryptoError(.unsupportedVersion, "version \(version), known is \(Self.version)", offset: 8)
    }
    guard bytes.count >= Self.headerSize + Self.codeSize + Self.checksumSize else {
      throw CryptoError(.truncated, "\(bytes.count) bytes are no whole key file", offset: bytes.count)
    }
    // Before anything else is read, so that damage is not taken for a wrong password.
    let authenticatedSize = bytes.count - Self.checksumSize
    guard SHA256.hash(Array(bytes[..<authenticatedSize])).bytes == Array(bytes[authenticatedSize...]) else {
      throw CryptoError(
        .damaged, "the checksum does not fit: damaged or incomplete", offset: authenticatedSize)
    }
    reader = HeaderReader(bytes[reader.position..<authenticatedSize])
    let count = Int(try reader.byte("the number of slots"))
    guard (1...Self.maximumSlotCount).contains(count) else {
      throw CryptoError(.damaged, "\(count) slots, permitted are 1 to \(Self.maximumSlotCount)", offset: 9)
    }
    guard let keyIdentifier = KeyIdentifier(bytes: try reader.array(KeyIdentifier.size, "the key identifier"))
    else {
      throw CryptoError(.damaged, "the key identifier has a wrong length", offset: 10)
    }
    var slots: [Slot] = []
    for _ in 0..<count { slots.append(try Slot(parsing: &reader)) }
    guard Set(slots.map(\.identifier)).count == count else {
      throw CryptoError(.damaged, "two slots have the same identifier", offset: Self.headerSize)
    }
    try limits.check(slots)
    let code = try reader.array(Self.codeSize, "the authentication code")
    guard reader.remaining == 0 else {
      throw CryptoError(.damaged, "\(reader.remaining) bytes too many", offset: reader.position)
    }
    self.init(slots: slots, keyIdentifier: keyIdentifier, code: code)
  }
}

extension KeyFile.Slot {
  init(parsing reader: inout HeaderReader) throws(CryptoError) {
    let identifier = Identifier(bytes: try reader.array(Self.identifierSize, "a slot's identifier"))
    let kindOffset = reader.position
    let kindValue = try reader.byte("a slot's kind")
    guard let kind = Kind(rawValue: kindValue) else {
      throw CryptoError(.damaged, "a slot of kind \(kindValue)", offset: kindOffset)
    }
    let logarithm = try reader.byte("N")
    let parameters = Scrypt.Parameters(
      // A shift by 64 or more gives 0, which no slot may have.
      cost: (1 as UInt64) << UInt64(logarithm), blockSize: UInt64(try reader.byte("r")),
      parallelization: UInt64(try reader.byte("p")))
    guard parameters.areStorable else {
      throw CryptoError(
        .limitExceeded, "scrypt with N 2^\(logarithm) is not permitted here", offset: kindOffset + 1)
    }
    let salt = try reader.array(Self.saltSize, "a slot's salt")
    let labelOffset = reader.position
    let labelSize = Int(try reader.byte("a label's length"))
    guard labelSize <= Self.maximumLabelSize,
      let label = String(validating: try reader.array(labelSize, "a label"), as: UTF8.self)
    else { throw CryptoError(.damaged, "a label is too long or no UTF-8", offset: labelOffset) }
    self.init(
      identifier: identifier, kind: kind, label: label, parameters: parameters, salt: salt,
      wrappedKey: try reader.array(Self.wrappedKeySize, "a wrapped key"))
  }
}
