import ChangeTracking
import Crypto

/// The name of a file in `RecentSyncs` by which a member says that a device does not take part any more: `<author>.<code>.removed`.
///
/// It names an author and not a client: a device that comes back does so as a new author, so nothing that was said of it before, and that
/// storage or somebody else brings back, is about it. Whoever removes an author writes the same name, and the file stays.
public struct RemovalName: CodedName, Hashable, Comparable, Sendable {
  /// Who was removed.
  public let author: AuthorID
  /// Proves that a member of the document wrote it.
  public let code: NameCode

  package static let purpose = "removed"
  private static let suffix = ".removed"

  /// Names an author who was removed.
  init(author: AuthorID, code: NameCode) {
    self.author = author
    self.code = code
  }

  /// Reads a name; `nil` if it is none of such a file.
  public init?(_ name: RemoteName) {
    guard let parts = Self.parts(of: name, endingIn: Self.suffix, count: 2), let author = AuthorID(parts[0]),
      let code = NameCode(parts[1])
    else { return nil }
    self.init(author: author, code: code)
  }

  /// What the name says, without the code.
  package var statement: String { author.description }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(statement).\(code)\(Self.suffix)") }

  /// Orders by name.
  public static func < (left: RemovalName, right: RemovalName) -> Bool { left.name < right.name }
}

extension SealedContext.Role {
  package static let removal: Self = "removal"
}
