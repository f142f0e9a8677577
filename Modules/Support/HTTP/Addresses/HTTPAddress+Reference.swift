extension HTTPAddress {
  /// The address that a reference in an answer of this address means (RFC 3986, section 5), a `Location` for example.
  ///
  /// - Throws: ``Refusal``.
  public func resolving(_ reference: String) throws(Refusal) -> HTTPAddress {
    let text = reference.trimmingPrefix { $0 == " " }
    var target: HTTPAddress
    if text.hasPrefix("//") {
      target = try HTTPAddress(scheme: scheme, rest: text.dropFirst(2))
    } else if text.hasPrefix("/") {
      target = try HTTPAddress(scheme: scheme, rest: authority + text)
    } else if text.prefix(while: { !"/?#".contains($0) }).contains(":") {
      target = try HTTPAddress(String(text))
    } else {
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
      target = try HTTPAddress(scheme: scheme, rest: authority + folder + text)
    }
    target.path = Self.removingDots(target.path)
    return target
  }

  /// RFC 3986, section 5.2.4.
  private static func removingDots(_ path: String) -> String {
    var result: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { result.append("") }
      case "..":
        _ = result.popLast()
        if isLast { result.append("") }
      default: result.append(segment)
      }
    }
    return "/" + result.joined(separator: "/")
  }

  /// Where something lies that was at `other`, when this one has become `moved`: what the three paths have in common at
  /// their ends stays.
  ///
  /// A redirection says of one resource where it is; the destination of a `MOVE` beside it has moved along.
  func carrying(_ other: HTTPAddress, to moved: HTTPAddress) -> HTTPAddress? {
    guard other.hasSameOrigin(as: self) else { return nil }
    let (old, new) = (Array(path.utf8), Array(moved.path.utf8))
    var common = 0
    while common < min(old.count, new.count), old[old.count - 1 - common] == new[new.count - 1 - common] {
      common += 1
    }
    // Whole segments only: what `/a/xfile` and `/b/file` have in common at their ends is nothing.
    while common > 0, old[old.count - common] != UInt8(ascii: "/") { common -= 1 }
    let prefix = old.prefix(old.count - common)
    guard common > 0, other.path.utf8.starts(with: prefix) else { return nil }
    var result = moved
    result.path = String(
      decoding: new.prefix(new.count - common) + other.path.utf8.dropFirst(prefix.count), as: UTF8.self)
    return result
  }
}
