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

  /// Names a set.
  public init(sequence: UInt64, hash: ContentHash) {
    self.sequence = sequence
    self.hash = hash
  }

  /// Reads a name; `nil` if it is none of a set.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.utf8.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = FixedWidth.number(parts[0]), sequence > 0,
      let hash = ContentHash(parts[1])
    else { return nil }
    self.init(sequence: sequence, hash: hash)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(FixedWidth.text(sequence))-\(hash)\(Self.suffix)") }

  /// Orders by sequence, then by hash.
  public static func < (left: SetName, right: SetName) -> Bool { left.name < right.name }
}
