import TICDSOpenSSL

/// Seals or opens the segments of one container in their order: the STREAM construction of Hoang, Reyhanitabar, Rogaway
/// and Vizár ("Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015).
///
/// The nonce holds the position and whether the segment is the last, so that a segment which was moved, left out,
/// repeated or cut off does not authenticate.
struct SegmentCipher: ~Copyable {
  static let overhead = AES256GCM.tagSize
  private static let prefixSize = 7
  private static let purpose = "TICDS sealed container v1"

  let segmentSize: SegmentSize
  private var cipher: AES256GCM
  private var nonce: [UInt8]
  private let associatedData: [UInt8]
  private(set) var index: UInt32 = 0
  private var isEnded = false

  init(header: SealedHeader, context: SealedContext, key: MasterKey) throws(CryptoError) {
    let associatedData = header.bytes + (try context.encoded())
    let material = try key.derive(
      salt: header.salt, purpose: Self.purpose, count: AES256GCM.keySize + Self.prefixSize)
    let fileKey = material.withUnsafeBytes { SecretBytes(copying: $0[..<AES256GCM.keySize]) }
    cipher = try primitive { () throws(OpenSSLError) in try AES256GCM(key: fileKey) }
    nonce = material.withUnsafeBytes { Array($0[AES256GCM.keySize...]) } + [0, 0, 0, 0, 0]
    segmentSize = header.segmentSize
    self.associatedData = associatedData
  }

  /// Encrypts the next segment into a buffer that is 16 bytes longer.
  mutating func seal(
    _ plaintext: UnsafeRawBufferPointer, isLast: Bool, into sealed: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    try advance(isLast: isLast)
    do {
      try cipher.seal(plaintext, nonce: nonce, authenticating: associatedData, into: sealed)
    } catch { throw CryptoError(error) }
  }

  /// Decrypts the next segment into a buffer that is 16 bytes shorter.
  mutating func open(
    _ sealed: UnsafeRawBufferPointer, isLast: Bool, into plaintext: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    let offset = SealedHeader.size + Int(index) * (segmentSize.bytes + Self.overhead)
    if isLast {
      guard sealed.count >= Self.overhead else {
        throw CryptoError(.truncated, "segment \(index) ends within its tag", offset: offset)
      }
      guard sealed.count > Self.overhead || index == 0 else {
        throw CryptoError(.damaged, "the last segment is empty", offset: offset)
      }
    }
    let position = index
    try advance(isLast: isLast)
    do {
      try cipher.open(sealed, nonce: nonce, authenticating: associatedData, into: plaintext)
    } catch {
      guard error.code == .authenticationFailed else { throw CryptoError(error) }
      throw CryptoError(
        .authenticationFailed, "segment \(position) does not belong to this key, context and position",
        offset: offset, underlying: error)
    }
  }

  /// Sets the nonce of the next segment: prefix, big-endian index, last flag.
  private mutating func advance(isLast: Bool) throws(CryptoError) {
    guard !isEnded else { throw CryptoError(.limitExceeded, "a segment follows the last one") }
    for place in 0..<4 {
      nonce[Self.prefixSize + place] = UInt8(truncatingIfNeeded: index >> (24 - 8 * place))
    }
    nonce[Self.prefixSize + 4] = isLast ? 1 : 0
    // A nonce must never come twice: at the greatest index the stream ends.
    if isLast || index == .max { isEnded = true } else { index += 1 }
  }
}
