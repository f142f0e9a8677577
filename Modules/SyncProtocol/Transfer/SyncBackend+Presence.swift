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
