/// The name of a file that a document was deleted: `<integrity key, 32 digits>.<code>.deleted`, in
/// ``ApplicationHierarchy/deletedDocuments``.
///
/// It names the founding and not the document, so that another document may have the name.
public struct DeletionName: Hashable, Comparable, Sendable {
  /// The founding whose document was deleted.
  public let founding: IntegrityKey
  /// Proves that a member of the document had the key.
  public let code: NameCode

  private static let suffix = ".deleted"

  init(_ founding: IntegrityKey, code: NameCode) {
    self.founding = founding
    self.code = code
  }

  /// Reads a name; `nil` if it is none of a deletion.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let founding = IntegrityKey(parts[0]), let code = NameCode(parts[1]) else {
      return nil
    }
    self.init(founding, code: code)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(founding).\(code)\(Self.suffix)") }

  /// Orders by name.
  public static func < (left: DeletionName, right: DeletionName) -> Bool { left.name < right.name }
}
