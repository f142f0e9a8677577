/// The name of one file or folder on a remote: a single path component.
///
/// This library writes names of ``NameGrammar/portable`` only, which every storage service can carry. Those of
/// ``NameGrammar/classic`` are for remotes of the classic system. Names are equal if their bytes are.
public struct RemoteName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The greatest number of bytes in a portable name.
  public static let byteLimit = 100

  /// The name itself.
  public let description: String

  /// Accepts a name that keeps to the grammar.
  public init?(_ text: some StringProtocol, _ grammar: NameGrammar = .portable) {
    guard grammar.admits(text) else { return nil }
    description = String(text)
  }

  /// Wraps a name that is known to be portable: a constant, or one that was put together from checked parts.
  init(trusted text: String) {
    assert(RemoteName(text) != nil, "\(text) is no name for the remote")
    description = text
  }

  /// Compares bytes: as texts, two forms of one character would be equal.
  public static func == (left: RemoteName, right: RemoteName) -> Bool {
    var (left, right) = (left.description, right.description)
    guard left.utf8.count == right.utf8.count else { return false }
    return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
  }

  /// Hashes bytes.
  public func hash(into hasher: inout Hasher) {
    var name = description
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }

  /// Orders by bytes.
  public static func < (left: RemoteName, right: RemoteName) -> Bool {
    left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
  }
}
