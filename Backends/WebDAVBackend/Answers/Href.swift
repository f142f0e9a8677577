import TICDSHTTP

/// Where a response of a 207 answer lies, seen from the folder or file that was asked for.
enum Href: Equatable, Sendable {
  /// What was asked for.
  case itself
  /// What lies directly in it, by its decoded name.
  case child(String)
  /// Neither: on another host, deeper, beside or above, or no reference at all. Why it is set aside.
  case strange(String)

  /// Interprets a reference.
  ///
  /// Servers write it as an absolute address or as a path, encode more or less of it, double slashes, and leave the last
  /// slash of folders out: decoded segments are compared. Scheme and port are not, for a proxy may stand before the server.
  /// Nothing is ever asked for at the address that a reference holds; only its last name is used.
  ///
  /// - Parameter folder: the address that answered.
  init(_ href: String, in folder: HTTPAddress) {
    if let plain = Self.plain(href, in: folder.path) {
      self = plain
      return
    }
    let target: HTTPAddress
    do {
      target = try folder.resolving(href)
    } catch {
      self = .strange("a response refers to what is no address (\(error))")
      return
    }
    guard target.host == folder.host else {
      self = .strange("a response refers to another host")
      return
    }
    guard let base = Self.segments(folder.path), let names = Self.segments(target.path) else {
      self = .strange("a response refers to a path that is not percent-encoded")
      return
    }
    guard names.starts(with: base), names.count <= base.count + 1 else {
      self = .strange("a response refers to what lies elsewhere")
      return
    }
    guard names.count > base.count, let name = names.last else {
      self = .itself
      return
    }
    guard let text = String(validating: name, as: UTF8.self) else {
      self = .strange("a response refers to a name that is no UTF-8")
      return
    }
    self = .child(text)
  }

  /// What most servers write, who repeat the path that they were asked for and add names that need no encoding; `nil` if it takes
  /// more to say what is meant. Listings have a reference for each file, and this is the way past all the strings in between.
  private static func plain(_ href: String, in folder: String) -> Href? {
    let slash = UInt8(ascii: "/")
    guard folder.utf8.last == slash, !folder.hasPrefix("//"), href.utf8.starts(with: folder.utf8) else {
      return nil
    }
    var name = href.utf8.dropFirst(folder.utf8.count)
    guard !name.isEmpty else { return .itself }
    if name.last == slash { name = name.dropLast() }
    guard let first = name.first, first != UInt8(ascii: "."), name.allSatisfy(isPlain) else { return nil }
    return .child(String(Substring(name)))
  }

  /// Letters, digits, and what else of RFC 3986's unreserved characters our own names hold.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The decoded segments of a path; empty ones do not count.
  private static func segments(_ path: String) -> [[UInt8]]? {
    var result: [[UInt8]] = []
    for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let decoded = PercentEncoding.decoded(segment) else { return nil }
      result.append(decoded)
    }
    return result
  }
}
