/// Which names a back end takes for names of files of ours; all others are foreign.
public enum NameGrammar: Hashable, Sendable {
  /// What this library writes: 1 to 100 bytes of ASCII letters, digits, `.`, `_` and `-`, neither starting nor ending with a
  /// dot. Servers, file systems and folder replicators treat all other characters differently.
  case portable
  /// What lies on remotes of the classic system, where applications chose the identifiers that became names of folders and
  /// nothing was escaped: 1 to 255 bytes of UTF-8 that do not begin with a dot and hold no slash, backslash or control
  /// character. Names are compared byte by byte: storage keeps forms of Unicode apart.
  case classic

  /// Whether a name keeps to the grammar.
  public func admits(_ name: some StringProtocol) -> Bool {
    let bytes = Array(name.utf8.prefix(byteLimit + 1))
    guard (1...byteLimit).contains(bytes.count), bytes.first != Self.dot else { return false }
    switch self {
    case .portable: return bytes.last != Self.dot && bytes.allSatisfy(Self.isPortable)
    case .classic: return name.unicodeScalars.allSatisfy(Self.isClassic)
    }
  }

  /// The greatest number of bytes in a name.
  public var byteLimit: Int {
    switch self {
    case .portable: RemoteName.byteLimit
    case .classic: 255
    }
  }

  private static let dot = UInt8(ascii: ".")

  private static func isPortable(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), dot, UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isClassic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "/", "\\": false
    default: scalar.properties.generalCategory != .control
    }
  }
}
