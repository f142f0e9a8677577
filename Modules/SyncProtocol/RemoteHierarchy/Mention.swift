import ChangeTracking

/// A file in `RecentSyncs` by which a device names a set of another author, or of its own former one, that it has merged and that no
/// head leads to: `<author>.<sequence>.<hash>.<code>.mention`.
///
/// So everybody merges what anybody has merged, although storage has lost the head, or the author's store was restored before it
/// published one. Its name says everything, and there is no content: whoever writes it writes the same file.
public struct Mention: CodedName, Hashable, Comparable, Sendable {
  /// Whose set it is.
  public let author: AuthorID
  /// The set.
  public let set: SetName
  /// Proves that a member of the document has written the name.
  public let code: NameCode

  package static let purpose = "mention"
  private static let suffix = ".mention"

  /// Names a set.
  init(author: AuthorID, set: SetName, code: NameCode) {
    self.author = author
    self.set = set
    self.code = code
  }

  /// Reads a name; `nil` if it is none of a mention.
  public init?(_ name: RemoteName) {
    guard let parts = Self.parts(of: name, endingIn: Self.suffix, count: 4), let author = AuthorID(parts[0]),
      let sequence = FixedWidth.number(parts[1]),
      sequence > 0, let hash = ContentHash(parts[2]), let code = NameCode(parts[3])
    else { return nil }
    self.init(author: author, set: SetName(sequence: sequence, hash: hash), code: code)
  }

  /// What the name says, without the code.
  static func statement(author: AuthorID, set: SetName) -> String {
    "\(author).\(FixedWidth.text(set.sequence)).\(set.hash)"
  }

  /// What the name says, without the code.
  package var statement: String { Self.statement(author: author, set: set) }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(statement).\(code)\(Self.suffix)") }

  /// Orders by author, sequence, hash, code.
  public static func < (left: Mention, right: Mention) -> Bool { left.name < right.name }
}
