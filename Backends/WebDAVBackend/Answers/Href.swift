import HTTP

/// Where a response of a 207 answer lies, seen from the folder or file that was asked for.
enum Href: Equatable, Sendable {
  /// What was asked for.
  case itself
  /// What lies directly in it, by its decoded name.
  case child(String)
  /// Deeper, beside or above: of no interest.
  case elsewhere
  /// On another host, or no reference at all.
  case refused(String)

  /// Interprets a reference.
  ///
  /// Servers write it as an absolute address or as a path, encode more or less of it, double slashes, and leave the last
  /// slash of folders out: decoded segments are compared. Scheme and port are not, for a proxy may stand before the server;
  /// another host is refused.
  ///
  /// - Parameter folder: the address that answered.
  init(_ href: String, in folder: HTTPAddress) {
    let target: HTTPAddress
    do {
      target = try folder.resolving(href)
    } catch {
      self = .refused("a response refers to what is no address (\(error))")
      return
    }
    guard target.host == folder.host else {
      self = .refused("a response refers to another host")
      return
    }
    guard let base = Self.segments(folder.path), let names = Self.segments(target.path) else {
      self = .refused("a response refers to a path that is not percent-encoded")
      return
    }
    guard names.starts(with: base) else {
      self = .elsewhere
      return
    }
    switch names.count - base.count {
    case 0: self = .itself
    case 1: self = .child(String(decoding: names[base.count], as: UTF8.self))
    default: self = .elsewhere
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
