/// The name of a file by which a member of one founding of a document says that another founding is of the same document:
/// `<own integrity key, 32 digits>.<other integrity key, 32 digits>.<code>.accepted`. The name is all that it says.
///
/// Two foundings are one document once members of each have accepted the other. One side alone would not do: the record of
/// a document that was deleted can be put back by anybody who kept a copy, but nobody accepts for it any more.
public struct AcceptanceName: Hashable, Comparable, Sendable {
  /// The founding whose member says so.
  public let founding: IntegrityKey
  /// The founding that it accepts.
  public let other: IntegrityKey
  /// Proves that the member had the key.
  public let code: NameCode

  private static let suffix = ".accepted"

  init(_ founding: IntegrityKey, accepts other: IntegrityKey, code: NameCode) {
    self.founding = founding
    self.other = other
    self.code = code
  }

  /// Reads a name; `nil` if it is none of an acceptance.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let founding = IntegrityKey(parts[0]), let other = IntegrityKey(parts[1]),
      founding != other, let code = NameCode(parts[2])
    else { return nil }
    self.init(founding, accepts: other, code: code)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(founding).\(other).\(code)\(Self.suffix)") }

  /// Orders by name.
  public static func < (left: AcceptanceName, right: AcceptanceName) -> Bool { left.name < right.name }
}
