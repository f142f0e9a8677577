import TICDSHTTP

/// The folder that a back end was given, and addresses in it.
struct WebDAVRoot: Equatable, Sendable {
  /// Its path ends with a slash.
  private(set) var address: HTTPAddress

  init(_ address: HTTPAddress) {
    self.address = address
    if !address.path.hasSuffix("/") { self.address.path += "/" }
  }

  func address(of target: Target) -> HTTPAddress {
    var result = address
    result.path += relativePath(of: target)
    return result
  }

  private func relativePath(of target: Target) -> String {
    guard let folder = target.folder else { return "" }
    // Copies that replicators keep have names that hold what stands for something else in an address.
    let names = (folder.names.map(\.description) + [target.segment]).map(PercentEncoding.segment)
    return names.joined(separator: "/") + (target.isFolder ? "/" : "")
  }

  /// The root after the server has said that a target in it lies elsewhere for good; `nil` if that says nothing of the root.
  func moved(_ target: Target, to new: HTTPAddress) -> WebDAVRoot? {
    let relative = relativePath(of: target)
    guard new.path.hasSuffix("/" + relative) else { return nil }
    var root = new
    root.path = String(new.path.dropLast(relative.count))
    return WebDAVRoot(root)
  }
}
