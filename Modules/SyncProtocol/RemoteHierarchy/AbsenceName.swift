import ChangeTracking

/// The name of an empty file in `DeletedClients`, by which a device writes down that another was away for longer than agreed, so that
/// sets which it lacks were removed: `<author>.<code>.absent`.
public struct AbsenceName: CodedName, Hashable, Comparable, Sendable {
  /// Who was away.
  public let author: AuthorID
  /// Proves that a member of the document wrote it.
  public let code: NameCode

  package static let purpose = "absent"
  private static let suffix = ".absent"

  /// Names an author who was away.
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
  public static func < (left: AbsenceName, right: AbsenceName) -> Bool { left.name < right.name }
}
