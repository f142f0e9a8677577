import Crypto

/// The name of a key file in `Encryption`: `<key, 16 digits>.<at random, 16 digits>.keys`.
///
/// A listing tells which master keys lie there. Several files of one key are versions of it, with other passwords.
public struct KeyFileName: Hashable, Comparable, Sendable {
  /// The master key that the file says it holds. Not authenticated: only unlocking tells.
  public let key: KeyIdentifier
  /// The file's name.
  public let name: RemoteName

  private static let suffix = ".keys"
  private static let digits = 16

  /// Makes a name at random.
  init(_ key: KeyIdentifier, using random: inout some RandomNumberGenerator) {
    self.key = key
    let digits = RandomName.hexadecimal(digits: Self.digits, using: &random)
    name = RemoteName(trusted: "\(key).\(digits)\(Self.suffix)")
  }

  /// Reads a name; `nil` if it is none of a key file.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let key = KeyIdentifier(digits: parts[0]),
      RandomName.isHexadecimal(parts[1], digits: Self.digits)
    else { return nil }
    self.key = key
    self.name = name
  }

  /// Orders by name.
  public static func < (left: KeyFileName, right: KeyFileName) -> Bool { left.name < right.name }
}
