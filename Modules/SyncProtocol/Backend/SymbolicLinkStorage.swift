/// Storage in which symbolic links can lie, which no device follows: for those who put aside what lies in the place of a file.
public protocol SymbolicLinkStorage: Sendable {
  /// Where a link leads, byte for byte as the file system holds it; `nil` if something else lies there, or nothing. The link is not followed.
  ///
  /// - Throws: ``BackendError``.
  func targetOfLink(at path: RemotePath) async throws(BackendError) -> [UInt8]?

  /// Makes a link.
  ///
  /// - Parameters:
  ///   - target: where it leads, byte for byte; nothing need lie there.
  ///   - path: its place, in a folder that exists.
  /// - Throws: ``BackendError``, with `alreadyExists` if the name is taken.
  func makeLink(to target: [UInt8], at path: RemotePath) async throws(BackendError)
}

extension SyncBackend {
  /// The same storage, as far as links can lie in it; `nil` where there is no such thing.
  package var links: (any SymbolicLinkStorage)? {
    if let wrapping = self as? any WrappingBackend { return wrapping.base.links }
    return self as? any SymbolicLinkStorage
  }
}
