import TICDSHTTP

extension WebDAVSession {
  /// Whether a server that refuses to list does so because there is nothing to list.
  ///
  /// Once the folder is gone for which WebDAV is turned on, Apache answers like one that has never heard of WebDAV (405, and no word of
  /// it in OPTIONS). That there is no folder it says to everybody. So does a server without WebDAV of an address that is wrong, so the
  /// failure speaks of both.
  ///
  /// - Parameter target: what it would not list.
  func isRootGone(_ target: Target) async -> Bool {
    let root = Target(.root)
    guard target.folder == nil else {
      // That one entry is refused says nothing of the root.
      do throws(Failure) { _ = try await find(root, depth: 0, versions: false) } catch {
        return error.isGoneRoot
      }
      return false
    }
    do {
      let response = try await send("HEAD", root, receiver: NothingReceiver())
      return [404, 410].contains(response.head.status)
    } catch {
      return false
    }
  }
}
