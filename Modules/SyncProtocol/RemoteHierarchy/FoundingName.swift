import Crypto

/// The name of a founding record: `<integrity key, 32 digits>.<key, 16 digits, or “plain”>.<code>.founding`.
///
/// One listing tells which foundings there are, with which keys, and, to whoever has those keys, which are genuine.
public struct FoundingName: Hashable, Comparable, Sendable {
  /// What tells this founding from every other.
  public let integrityKey: IntegrityKey
  /// The master key that the founder sealed with; `nil` without encryption.
  public let key: KeyIdentifier?
  /// Proves that the founder had the key.
  public let code: NameCode

  private static let suffix = ".founding"
  private static let plain = "plain"

  init(_ integrityKey: IntegrityKey, key: KeyIdentifier?, code: NameCode) {
    self.integrityKey = integrityKey
    self.key = key
    self.code = code
  }

  /// Reads a name; `nil` if it is none of a founding record.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let integrityKey = IntegrityKey(parts[0]), let code = NameCode(parts[2]) else {
      return nil
    }
    let key = KeyIdentifier(digits: parts[1])
    guard key != nil || parts[1] == Self.plain else { return nil }
    self.init(integrityKey, key: key, code: code)
  }

  /// The file's name.
  public var name: RemoteName {
    RemoteName(trusted: "\(integrityKey).\(key?.description ?? Self.plain).\(code)\(Self.suffix)")
  }

  /// Orders by name.
  public static func < (left: FoundingName, right: FoundingName) -> Bool { left.name < right.name }
}
