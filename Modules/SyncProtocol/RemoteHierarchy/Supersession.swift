import ChangeTracking

/// A file in `RecentSyncs` by which an author says again what was in effect of another author's sets, because nobody has those
/// any more: `<author>.<restated>.<former>.<through>.<code>.supersedes`.
///
/// Who has merged the author's sets up to `restated` need not wait for the sets of the former author that the content names.
/// It is sealed like a head, so that who cannot write sets cannot make anybody pass over them.
public struct Supersession: CodedName, Hashable, Comparable, Sendable {
  /// Who says it again.
  public let author: AuthorID
  /// The author's last set that says it.
  public let restated: UInt64
  /// Whose sets are superseded.
  public let former: AuthorID
  /// The last of them.
  public let through: UInt64

  /// Proves that the author had the key.
  public let code: NameCode

  package static let purpose = "supersedes"
  private static let suffix = ".supersedes"

  /// Supersedes sets.
  init(author: AuthorID, restated: UInt64, former: AuthorID, through: UInt64, code: NameCode) {
    self.author = author
    self.restated = restated
    self.former = former
    self.through = through
    self.code = code
  }

  /// Reads a name; `nil` if it is none of such a file.
  public init?(_ name: RemoteName) {
    guard let parts = Self.parts(of: name, endingIn: Self.suffix, count: 5), let author = AuthorID(parts[0]),
      let restated = FixedWidth.number(parts[1]),
      let former = AuthorID(parts[2]), let through = FixedWidth.number(parts[3]), author != former,
      let code = NameCode(parts[4])
    else { return nil }
    self.init(author: author, restated: restated, former: former, through: through, code: code)
  }

  /// What the name says, without the code.
  static func statement(
    author: AuthorID, restated: UInt64, former: AuthorID, through: UInt64
  ) -> String { "\(author).\(FixedWidth.text(restated)).\(former).\(FixedWidth.text(through))" }

  /// What the name says, without the code.
  package var statement: String {
    Self.statement(author: author, restated: restated, former: former, through: through)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(statement).\(code)\(Self.suffix)") }

  /// Orders by name.
  public static func < (left: Supersession, right: Supersession) -> Bool { left.name < right.name }

  /// Greatest size of the file in bytes, sealed or not.
  package static let sizeLimit = 1 << 20
}

extension VersionVector {
  /// Whether the sum of what was merged, which names of heads and whole stores tell in ten digits, leaves room for what a statement passes
  /// over: half of all there is stays for sets.
  func holds(_ statement: Supersession) -> Bool {
    let others = total - self[statement.former]
    return others <= FixedWidth.limit / 2 && statement.through <= FixedWidth.limit / 2 - others
  }
}
