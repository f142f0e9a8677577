/// Tells one incarnation of a document from another of the same identifier: the name of a file in `IntegrityKey`.
///
/// If two clients create the document at once, the smallest key wins for everybody.
public struct IntegrityKey: Hashable, Comparable, Sendable {
  /// The file's name: 32 hexadecimal digits.
  public let name: RemoteName

  private static let digits = 32

  /// Makes a key at random.
  public init(using random: inout some RandomNumberGenerator) {
    name = RemoteName(trusted: RandomName.hexadecimal(digits: Self.digits, using: &random))
  }

  /// Reads a name; `nil` if it is no key.
  public init?(_ name: RemoteName) {
    guard RandomName.isHexadecimal(name.description, digits: Self.digits) else { return nil }
    self.name = name
  }

  /// Orders by name.
  public static func < (left: IntegrityKey, right: IntegrityKey) -> Bool { left.name < right.name }
}
