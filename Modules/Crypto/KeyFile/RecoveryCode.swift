import TICDSOpenSSL

/// A random code that opens a key file when every password is forgotten; to be written on paper.
///
/// 28 characters in seven groups: 128 random bits, and 12 bits by which a mistyped code is told from a wrong one. The
/// alphabet (Crockford's base 32) has no I, L, O and U. It is as good as the password: show it once, keep it nowhere.
public struct RecoveryCode: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let secretSize = 16
  private static let digits = 28
  private static let checkBits = 12

  /// 16 bytes.
  let secret: SecretBytes

  /// Makes a new code.
  ///
  /// - Throws: ``CryptoError`` with `primitiveFailure` if the system offers no entropy.
  public static func generate(random: any RandomSource = .system) throws(CryptoError) -> RecoveryCode {
    RecoveryCode(secret: try random.secret(count: secretSize))
  }

  private init(secret: SecretBytes) { self.secret = secret }

  /// Reads what a person typed. Case, spaces and hyphens do not matter; I and L are taken as 1, O as 0.
  ///
  /// - Throws: ``CryptoError`` with `invalidRecoveryCode` if the check digits do not fit.
  public init(parsing text: String) throws(CryptoError) {
    var bits: [UInt8] = []
    defer { SecretBytes.erase(&bits) }
    for character in text where !character.isWhitespace && character != "-" {
      guard let value = Self.value(of: character), bits.count < 5 * Self.digits else {
        throw CryptoError(.invalidRecoveryCode, "has characters that no recovery code has, or too many")
      }
      for bit in (0..<5).reversed() { bits.append(value >> UInt8(bit) & 1) }
    }
    guard bits.count == 5 * Self.digits else {
      throw CryptoError(.invalidRecoveryCode, "has \(bits.count / 5) characters instead of \(Self.digits)")
    }
    let secret = SecretBytes(count: Self.secretSize) { bytes in
      for index in 0..<8 * Self.secretSize { bytes[index / 8] = bytes[index / 8] << 1 | bits[index] }
    }
    guard Array(bits.suffix(Self.checkBits)) == Self.check(secret) else {
      throw CryptoError(.invalidRecoveryCode, "the characters do not fit together")
    }
    self.init(secret: secret)
  }

  /// The code in groups of four, to be shown to its owner once.
  public var text: String {
    var bits: [UInt8] = secret.withUnsafeBytes { $0.flatMap(Self.bits) } + Self.check(secret)
    defer { SecretBytes.erase(&bits) }
    var text = ""
    for digit in 0..<Self.digits {
      if digit > 0, digit % 4 == 0 { text.append("-") }
      let value = bits[5 * digit..<5 * digit + 5].reduce(0) { $0 << 1 | Int($1) }
      text.append(Self.alphabet[value])
    }
    return text
  }

  /// Describes what it is; ``text`` has the code.
  public var description: String { "RecoveryCode" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }

  private static func bits(of byte: UInt8) -> [UInt8] { (0..<8).reversed().map { byte >> UInt8($0) & 1 } }

  private static func check(_ secret: SecretBytes) -> [UInt8] {
    let digest = secret.withUnsafeBytes { SHA256.hash($0) }
    return Array(digest.bytes.prefix(2).flatMap(bits).prefix(checkBits))
  }

  private static func value(of character: Character) -> UInt8? {
    switch character {
    case "O", "o": return 0
    case "I", "i", "L", "l": return 1
    default:
      guard let upper = character.uppercased().first, let value = alphabet.firstIndex(of: upper) else {
        return nil
      }
      return UInt8(value)
    }
  }
}
