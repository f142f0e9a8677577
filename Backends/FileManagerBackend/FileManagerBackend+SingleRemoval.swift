import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system's own removals, which take a file for a file and leave a folder that is not empty.
extension FileManagerBackend: SingleRemovalStorage {
  package func removeFile(at path: RemotePath) async throws(BackendError) {
    try await removeSingle(path, flags: 0)
  }

  package func removeEmptyFolder(at path: RemotePath) async throws(BackendError) {
    try await removeSingle(path, flags: AT_REMOVEDIR)
  }

  private func removeSingle(_ path: RemotePath, flags: Int32) async throws(BackendError) {
    try await run(path) { (_) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      try place.folder.removeSingle(place.name, path, flags: flags)
      try place.folder.flush(path)
    }
  }
}

extension Folder {
  fileprivate func removeSingle(_ name: RemoteName, _ path: RemotePath, flags: Int32) throws(BackendError) {
    guard unlinkat(descriptor, name.description, flags) != 0 else { return }
    // POSIX permits either.
    if flags == AT_REMOVEDIR, errno == ENOTEMPTY || errno == EEXIST { throw .filled(path) }
    let failure = Place.remote(path).failure
    // Where it gives EPERM for a folder, another look tells.
    guard flags == 0, errno == EPERM else { throw failure }
    var status = stat()
    guard fstatat(descriptor, name.description, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFDIR
    else { throw failure }
    throw BackendError(.isADirectory, path: path)
  }
}
