import Crypto

/// The name of a wrapped key in `Encryption`: `<key, 16 digits>.<the key that it is sealed with, 16 digits>.wrapped`.
///
/// Who has the second key has the first. Written by whoever has both, when two foundings have met.
public struct WrappedKeyName: Hashable, Comparable, Sendable {
  /// The key inside.
  public let key: KeyIdentifier
  /// The key that opens the file.
  public let wrapping: KeyIdentifier

  private static let suffix = ".wrapped"

  /// Names the file of one key that is sealed with another.
  public init(_ key: KeyIdentifier, wrapping: KeyIdentifier) {
    self.key = key
    self.wrapping = wrapping
  }

  /// Reads a name; `nil` if it is none of a wrapped key.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let key = KeyIdentifier(digits: parts[0]),
      let wrapping = KeyIdentifier(digits: parts[1]), key != wrapping
    else { return nil }
    self.init(key, wrapping: wrapping)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(key).\(wrapping)\(Self.suffix)") }

  /// Orders by name.
  public static func < (left: WrappedKeyName, right: WrappedKeyName) -> Bool { left.name < right.name }
}
