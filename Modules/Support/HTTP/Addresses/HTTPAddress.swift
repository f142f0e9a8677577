/// Where a resource lies: scheme, host, port, path. Never a user or a password.
///
/// Only what RFC 3986 allows in each part is accepted; the path keeps the percent-encoding that it was given, and whatever has
/// to be encoded and is not becomes so.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
  /// What an address begins with.
  public enum Scheme: String, Sendable {
    /// In the clear.
    case http
    /// Over TLS.
    case https

    var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// Why a text is no address.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in words that never repeat the text, for it may hold a password.
    public let description: String
  }

  /// How the server is reached.
  public var scheme: Scheme
  /// A name or an address, in lower case; IPv6 addresses stand in brackets.
  public private(set) var host: String
  /// 1 to 65,535.
  public private(set) var port: Int
  /// Percent-encoded; begins with a slash.
  public var path: String
  /// What follows a question mark, without it. Only redirections bring one.
  public private(set) var query: String?

  /// Reads `http://host[:port][/path]` or the same with `https`.
  ///
  /// - Throws: ``Refusal``.
  public init(_ text: String) throws(Refusal) {
    guard let colon = text.utf8.firstRange(of: "://".utf8),
      let scheme = Scheme(rawValue: text[..<colon.lowerBound].lowercased())
    else { throw Refusal(description: "the address begins with neither http:// nor https://") }
    try self.init(scheme: scheme, rest: text[colon.upperBound...])
  }

  /// Combines a scheme with `host[:port][/path]`.
  ///
  /// - Throws: ``Refusal``.
  public init(scheme: Scheme, rest: some StringProtocol) throws(Refusal) {
    let rest = Substring(rest)
    let authority = rest.prefix { !"/?#\\".contains($0) }
    guard !authority.contains("@") else {
      throw Refusal(description: "the address holds a user name; credentials are given apart from it")
    }
    (host, port) = try Self.hostAndPort(authority, scheme)
    self.scheme = scheme
    let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.first.map(String.init) ?? ""
    self.path = try Self.encoded(path.isEmpty ? "/" : path)
    query = parts.count > 1 ? try Self.encoded(String(parts[1])) : nil
    guard self.path.hasPrefix("/") else { throw Refusal(description: "the path does not begin with a slash") }
  }

  /// `host`, or `host:port` where the port is not the usual one.
  public var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }

  /// The address as one writes it.
  public var description: String {
    "\(scheme.rawValue)://\(authority)\(path)" + (query.map { "?\($0)" } ?? "")
  }

  /// Whether both are at one server, so that what is secret to one may be told to the other.
  public func hasSameOrigin(as other: HTTPAddress) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  private static func hostAndPort(
    _ authority: Substring, _ scheme: Scheme
  ) throws(Refusal) -> (String, Int) {
    var host = authority
    var port = scheme.defaultPort
    let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
    guard let end else { throw Refusal(description: "the host's address has no closing bracket") }
    if let colon = authority[end...].lastIndex(of: ":") {
      let digits = authority[authority.index(after: colon)...]
      guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(digits), (1...65_535).contains(number)
      else { throw Refusal(description: "the port is no number from 1 to 65535") }
      host = authority[..<colon]
      port = number
    }
    let name = host.lowercased()
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    let inner = isBracketed ? name.dropFirst().dropLast() : name[...]
    let isValid = inner.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
        true
      case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
      case UInt8(ascii: ":"): isBracketed
      default: false
      }
    }
    guard isValid, !inner.isEmpty, inner.utf8.count <= 253 else {
      throw Refusal(description: "the host's name is empty or holds what no name can hold")
    }
    return (name, port)
  }

  /// Encodes what RFC 3986 does not allow in a path, and leaves what is encoded.
  private static func encoded(_ text: String) throws(Refusal) -> String {
    var result: [UInt8] = []
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "%") {
        let digits = bytes.dropFirst(index + 1).prefix(2)
        guard digits.count == 2, digits.allSatisfy({ PercentEncoding.digit($0) != nil }) else {
          throw Refusal(description: "the path holds a % that two hexadecimal digits do not follow")
        }
        result.append(byte)
      } else if byte < 0x20 || byte == 0x7f {
        throw Refusal(description: "the path holds a control character")
      } else if PercentEncoding.isAllowedInPath(byte) {
        result.append(byte)
      } else {
        result += PercentEncoding.encoded(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
