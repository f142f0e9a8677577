import ChangeTracking

/// The name of a change set's file in its author's folder: `<sequence, 10 digits>-<hash, 32 digits>.set`.
///
/// The hash is that of the file's bytes as they lie there, so that anybody can verify the file without a key.
public struct SetName: Hashable, Comparable, Sendable {
  /// Position in the author's history, from 1.
  public let sequence: UInt64
  /// Hash of the file.
  public let hash: ContentHash

  private static let suffix = ".set"
  /// Digits, a hyphen, the hash, the suffix.
  private static let length = FixedWidth.digits + 1 + 32 + 4

  /// Names a set.
  public init(sequence: UInt64, hash: ContentHash) {
    self.sequence = sequence
    self.hash = hash
  }

  /// Reads a name; `nil` if it is none of a set.
  public init?(_ name: RemoteName) {
    // Remotes hold many: the places of the parts are known, for names are of ASCII.
    let text = name.description
    guard text.utf8.count == Self.length,
      text.utf8.suffix(Self.suffix.utf8.count).elementsEqual(Self.suffix.utf8)
    else { return nil }
    let dash = text.utf8.index(text.startIndex, offsetBy: FixedWidth.digits)
    guard text.utf8[dash] == UInt8(ascii: "-") else { return nil }
    let end = text.utf8.index(text.endIndex, offsetBy: -Self.suffix.utf8.count)
    guard let sequence = FixedWidth.number(text[..<dash]), sequence > 0,
      let hash = ContentHash(text[text.utf8.index(after: dash)..<end])
    else { return nil }
    self.init(sequence: sequence, hash: hash)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(FixedWidth.text(sequence))-\(hash)\(Self.suffix)") }

  /// Orders by sequence, then by hash.
  public static func < (left: SetName, right: SetName) -> Bool {
    if left.sequence != right.sequence { return left.sequence < right.sequence }
    return left.hash.bytes.lexicographicallyPrecedes(right.hash.bytes)
  }
}
