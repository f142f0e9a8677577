extension BackendError {
  /// A folder that the storage has confirmed, and in which it then cannot write because it is not there.
  static func unshown(folder: RemotePath) -> BackendError {
    BackendError(
      .contradictory, path: folder,
      detail: "the storage confirmed that the folder was made, and does not show it")
  }
}

extension SyncBackend {
  /// What lies in a folder; `nil` if there is no such folder.
  func listIfPresent(_ folder: RemotePath) async throws(BackendError) -> RemoteListing? {
    do throws(BackendError) {
      return try await list(folder)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// What lies in a folder, but no more than the pages that hold the first `limit` entries: nobody who can write there
  /// makes this device hold any number of names. `nil` if there is no such folder.
  func listIfPresent(
    _ folder: RemotePath, limit: Int
  ) async throws(BackendError) -> (listing: RemoteListing, isCut: Bool)? {
    var all = RemoteListing()
    var token: ListingPage.Token?
    repeat {
      let page: ListingPage
      do throws(BackendError) { page = try await list(folder, after: token) } catch {
        guard error.code == .notFound else { throw error }
        // A folder that goes away between two pages holds nothing any more.
        return token == nil ? nil : (all, false)
      }
      all.entries += page.listing.entries
      all.foreign += page.listing.foreign
      guard let next = page.next, next != token else { return (all.withoutDoubles, false) }
      token = next
    } while all.entries.count + all.foreign.count < limit
    return (all.withoutDoubles, true)
  }

  /// Makes a folder, unless folders come with their files.
  package func makeFolder(_ path: RemotePath) async throws(BackendError) {
    if !capabilities.contains(.implicitFolders) { try await makeDirectory(path) }
  }

  /// Whether an entry exists.
  func exists(_ path: RemotePath) async throws(BackendError) -> Bool {
    do throws(BackendError) {
      _ = try await stat(path)
      return true
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  /// Makes sure that a file shows which the storage has confirmed.
  ///
  /// - Parameter isListed: whether a listing that was made afterwards holds it; one that does not may be behind what was done.
  /// - Throws: `contradictory` if nothing shows it.
  func requireShown(_ path: RemotePath, isListed: Bool) async throws(BackendError) {
    if isListed { return }
    if try await exists(path) { return }
    throw BackendError(
      .contradictory, path: path,
      detail: "the storage confirmed that the file was written, and does not show it")
  }

  /// Writes a small file unless the name is taken.
  ///
  /// - Returns: whether it was written.
  func createUnlessPresent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) -> Bool {
    do throws(BackendError) {
      try await createIfAbsent(bytes, at: path)
      return true
    } catch {
      guard error.code == .alreadyExists else { throw error }
      return false
    }
  }
}
