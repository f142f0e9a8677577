/// Storage that removes one entry and nothing that lies in it, whatever has come in its place meanwhile: for those who have looked at an entry,
/// or have kept it, and must not remove anything else.
package protocol SingleRemovalStorage: Sendable {
  /// Removes a file or a link.
  ///
  /// - Throws: ``BackendError``, with `isADirectory` if a folder lies there.
  func removeFile(at path: RemotePath) async throws(BackendError)

  /// Removes a folder that is empty.
  ///
  /// - Throws: ``BackendError``, with `forbidden` if anything lies in it, and `notADirectory` if it is no folder.
  func removeEmptyFolder(at path: RemotePath) async throws(BackendError)
}

extension SyncBackend {
  /// The same storage, as far as it can do that; `nil` where it cannot.
  package var singleRemovals: (any SingleRemovalStorage)? {
    if let wrapping = self as? any WrappingBackend { return wrapping.base.singleRemovals }
    return self as? any SingleRemovalStorage
  }
}

extension BackendError {
  /// A folder that was found empty is not so any more.
  package static func filled(_ path: RemotePath) -> BackendError {
    BackendError(.forbidden, path: path, detail: "something has come into it meanwhile")
  }
}
