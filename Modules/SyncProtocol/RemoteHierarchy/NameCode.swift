import ChangeTracking
import Crypto
import UntrustedBytes

/// The part of a file's name that proves who wrote the rest: 20 hexadecimal digits.
///
/// In an encrypted remote the first 80 bits of an HMAC, so that whoever cannot read the files cannot invent names of ours either,
/// and one listing tells. Without encryption a checksum, which only keeps accidents out.
public struct NameCode: Hashable, Comparable, Sendable, CustomStringConvertible {
  static let byteCount = 10
  static let digits = 2 * byteCount

  /// The digits.
  public let description: String

  /// Reads exactly 20 lower-case hexadecimal digits.
  init?(_ text: some StringProtocol) {
    guard RandomName.isHexadecimal(text, digits: Self.digits) else { return nil }
    description = String(text)
  }

  fileprivate init(_ bytes: [UInt8]) {
    description = HexadecimalDigits.text(Array(bytes.prefix(Self.byteCount)))
  }

  /// Orders by digits.
  public static func < (left: NameCode, right: NameCode) -> Bool { left.description < right.description }
}

/// Makes and checks the codes in names: `Docs/Formats/RemoteHierarchy.md`, “Codes in names”.
package struct NameAuthenticator: Sendable {
  private static let purpose = "TICDS name code v1"

  /// The keys at hand, the one that new names are made with first; none without encryption.
  private let keys: [(identifier: KeyIdentifier, key: AuthenticationKey)]

  package init(keys ring: KeyRing?) throws(CryptoError) {
    var keys: [(KeyIdentifier, AuthenticationKey)] = []
    for key in ring?.all ?? [] {
      keys.append((key.identifier, try key.authenticationKey(purpose: Self.purpose)))
    }
    self.keys = keys
  }

  private static func message(_ parts: [String]) -> [UInt8] { Array(parts.joined(separator: "/").utf8) }

  private static func checksum(_ parts: [String]) -> NameCode {
    NameCode(ContentHash(of: message([purpose] + parts)).bytes)
  }

  /// The code of a name, by what the name is for and what it says.
  func code(_ parts: [String]) -> NameCode {
    guard let key = keys.first?.key else { return Self.checksum(parts) }
    return NameCode(key.code(of: Self.message(parts)))
  }

  /// Whether a code was made with one of the keys at hand, or is the checksum if there is no encryption.
  func verifies(_ code: NameCode, _ parts: [String]) -> Bool {
    if keys.isEmpty { return code == Self.checksum(parts) }
    let message = Self.message(parts)
    return keys.contains { NameCode($0.key.code(of: message)) == code }
  }

  /// Whether a code was made with a certain key; `nil` if that key is not at hand.
  func verifies(_ code: NameCode, _ parts: [String], key: KeyIdentifier?) -> Bool? {
    guard let key else { return code == Self.checksum(parts) }
    guard let found = keys.first(where: { $0.identifier == key })?.key else { return nil }
    return NameCode(found.code(of: Self.message(parts))) == code
  }
}
