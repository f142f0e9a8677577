import ChangeTracking

/// The name of a head in `RecentSyncs`: `<author>.<sequence>.<seen>.<hash>.<code>.head`.
///
/// One listing of heads says what is new from everybody, and who has seen what. Of the heads of one author the newest
/// is the one with the greatest sequence, then the greatest `seen`; the author removes older ones when he gets to it.
/// The code proves that a member of the document wrote the name.
public struct HeadName: CodedName, Hashable, Comparable, Sendable {
  /// Who published it.
  public let author: AuthorID
  /// The author's last set on the remote; 0 if there is none.
  public let sequence: UInt64
  /// Sum of the sequences that the author has applied from all others. Who has seen everything has the sum of all.
  public let seen: UInt64
  /// Hash of the file of the last set; `nil`, written as zeros, if there is none.
  public let hash: ContentHash?
  /// Proves that the author had the key.
  public let code: NameCode

  package static let purpose = "head"
  private static let suffix = ".head"
  private static let noHash = String(repeating: "0", count: 2 * ContentHash.byteCount)

  /// Names a head. Without a set there is no hash.
  init(author: AuthorID, sequence: UInt64, seen: UInt64, hash: ContentHash?, code: NameCode) {
    self.author = author
    self.sequence = sequence
    self.seen = seen
    self.hash = sequence == 0 ? nil : hash
    self.code = code
  }

  /// Reads a name; `nil` if it is none of a head.
  public init?(_ name: RemoteName) {
    guard let parts = Self.parts(of: name, endingIn: Self.suffix, count: 5), let author = AuthorID(parts[0]),
      let sequence = FixedWidth.number(parts[1]),
      let seen = FixedWidth.number(parts[2]), let hash = ContentHash(parts[3]),
      (sequence == 0) == (parts[3] == Self.noHash), let code = NameCode(parts[4])
    else { return nil }
    self.init(author: author, sequence: sequence, seen: seen, hash: hash, code: code)
  }

  /// What the name says, without the code.
  static func statement(author: AuthorID, sequence: UInt64, seen: UInt64, hash: ContentHash?) -> String {
    let digits = sequence == 0 ? noHash : hash?.description ?? noHash
    return "\(author).\(FixedWidth.text(sequence)).\(FixedWidth.text(seen)).\(digits)"
  }

  /// What the name says, without the code.
  package var statement: String { Self.statement(author: author, sequence: sequence, seen: seen, hash: hash) }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(statement).\(code)\(Self.suffix)") }

  /// The set that the head names.
  public var set: SetName? { hash.map { SetName(sequence: sequence, hash: $0) } }

  /// Orders by author, sequence, seen, hash, code: of one author, the last is the newest.
  public static func < (left: HeadName, right: HeadName) -> Bool { left.name < right.name }
}
