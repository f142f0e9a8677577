/// The name of one file or folder on a remote: a single path component that every storage service can carry.
///
/// 1 to 100 bytes of ASCII letters, digits, `.`, `_` and `-`, neither starting nor ending with a dot. Servers, file
/// systems and folder replicators treat all other characters differently, so nothing else is ever written or read.
public struct RemoteName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The greatest number of bytes in a name.
  public static let byteLimit = 100

  /// The name itself.
  public let description: String

  /// Accepts a name that keeps to the grammar.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8.prefix(Self.byteLimit + 1))
    guard (1...Self.byteLimit).contains(bytes.count), bytes.first != Self.dot, bytes.last != Self.dot,
      bytes.allSatisfy(Self.isAllowed)
    else { return nil }
    description = String(text)
  }

  /// Wraps a name that is known to keep to the grammar: a constant, or one that was put together from checked parts.
  init(trusted text: String) {
    assert(RemoteName(text) != nil, "\(text) is no name for the remote")
    description = text
  }

  private static let dot = UInt8(ascii: ".")

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), dot, UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Orders by bytes.
  public static func < (left: RemoteName, right: RemoteName) -> Bool {
    left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
  }
}
