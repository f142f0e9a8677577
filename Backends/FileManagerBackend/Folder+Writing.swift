import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Folder {
  private static let newFileMode: mode_t = 0o666

  /// Writes a file under a hidden name, flushes it, and gives it its name. After a failure nothing is left.
  ///
  /// - Parameters:
  ///   - replacing: whether an existing file is replaced or `alreadyExists` thrown.
  ///   - mark: what the hidden name bears.
  func publish(
    _ name: RemoteName, _ path: RemotePath, replacing: Bool, mark: WriterMark?,
    content: (borrowing OpenFile) throws(BackendError) -> Void
  ) throws(BackendError) {
    let place = Place.remote(path)
    let temporary = TemporaryName.make(mark)
    let child = openat(
      descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, Self.newFileMode)
    guard child >= 0 else { throw place.failure }
    do throws(BackendError) {
      let file = OpenFile(owning: child)
      try content(file)
      try file.flush(place)
      if replacing {
        guard renameat(descriptor, temporary, descriptor, name.description) == 0 else { throw place.failure }
      } else {
        try renameExclusively(temporary, path, to: self, name.description, path)
      }
    } catch {
      unlinkat(descriptor, temporary, 0)
      throw error
    }
    try flush(path)
  }

  /// Renames without replacing. Where the system cannot do that in one step, a file is linked under its new name, which
  /// fails if the name is taken; what cannot be linked takes the name first, and then replaces what took it.
  func renameExclusively(
    _ source: String, _ sourcePath: RemotePath, to folder: borrowing Folder, _ destination: String,
    _ destinationPath: RemotePath
  ) throws(BackendError) {
    if ExclusiveRename.run(descriptor, source, folder.descriptor, destination) { return }
    let renameError = errno
    // Network and FAT file systems answer that they do not know such a request.
    guard [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(renameError) else {
      throw Place.remote(renameError == EEXIST ? destinationPath : sourcePath).failure(renameError)
    }
    var status = stat()
    guard fstatat(descriptor, source, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw Place.remote(sourcePath).failure
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    if !isFolder {
      if linkat(descriptor, source, folder.descriptor, destination, 0) == 0 {
        unlinkat(descriptor, source, 0)
        return
      }
      let number = errno
      // Some FUSE file systems (rclone's) answer EIO to what they cannot do.
      let hasNoLinks = [EPERM, ENOSYS, ENOTSUP, EOPNOTSUPP, EMLINK, EXDEV, EIO].contains(number)
      guard hasNoLinks else { throw Place.remote(destinationPath).failure(number) }
    }
    try claim(destination, asFolder: isFolder, in: folder, destinationPath)
    guard renameat(descriptor, source, folder.descriptor, destination) == 0 else {
      let failure = Place.remote(destinationPath).failure
      unlinkat(folder.descriptor, destination, isFolder ? AT_REMOVEDIR : 0)
      throw failure
    }
  }

  private func claim(
    _ name: String, asFolder: Bool, in folder: borrowing Folder, _ path: RemotePath
  ) throws(BackendError) {
    if asFolder {
      guard mkdirat(folder.descriptor, name, Self.newFolderMode) == 0 else {
        throw Place.remote(path).failure
      }
    } else {
      let claimed = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, Self.newFileMode)
      guard claimed >= 0 else { throw Place.remote(path).failure }
      // A mount of rclone's uploads a file that was never written to only after it was closed, and so over what has replaced it by then.
      // One byte has it uploaded before the close returns.
      let isWritten = write(claimed, [1], 1) == 1
      let number = errno
      guard close(claimed) == 0, isWritten else {
        let failure = Place.remote(path).failure(isWritten ? errno : number)
        unlinkat(folder.descriptor, name, 0)
        throw failure
      }
    }
  }

  /// Removes a file, or a folder with everything in it.
  ///
  /// What is nested deeper than descriptors should be open at once is first moved up within the folder, so that any depth can be removed. What
  /// comes meanwhile, or still shows although it was removed (``SillyRename``), is removed as well, unless it comes without end.
  func remove(
    _ rawName: RawName, _ path: RemotePath, _ cancellation: CancellationFlag
  ) throws(BackendError) {
    let name = rawName.bytes
    guard try !isRemovedAsFile(name, path, cancellation) else { return }
    let folder = try openFolder(name, path)
    var pause: UInt32 = 1_000
    while true {
      var moved = 0
      for child in try folder.names(path) {
        try folder.remove(child, within: folder, &moved, path, cancellation, depth: 1)
      }
      if moved > 0 { continue }
      if try isRemovedEmpty(name, path) { return }
      guard pause <= Self.longestPause else {
        throw BackendError(
          .locked, path: path, detail: "somebody goes on writing into it, or uses what it holds")
      }
      usleep(pause)
      pause *= 2
    }
  }

  private func remove(
    _ rawName: RawName, within top: borrowing Folder, _ moved: inout Int, _ path: RemotePath,
    _ cancellation: CancellationFlag, depth: Int
  ) throws(BackendError) {
    let name = rawName.bytes
    do throws(BackendError) {
      guard try !isRemovedAsFile(name, path, cancellation) else { return }
      guard depth < Self.depthLimit else {
        guard renameat(descriptor, name, top.descriptor, TemporaryName.make()) == 0 else {
          throw Place.remote(path).failure
        }
        moved += 1
        return
      }
      let folder = try openFolder(name, path)
      for child in try folder.names(path) {
        try folder.remove(child, within: top, &moved, path, cancellation, depth: depth + 1)
      }
      // One that is not empty is looked at again with all the others.
      _ = try isRemovedEmpty(name, path)
    } catch {
      // Somebody else was faster.
      guard error.code == .notFound else { throw error }
    }
  }

  /// Removes a folder if it is empty.
  private func isRemovedEmpty(_ name: [CChar], _ path: RemotePath) throws(BackendError) -> Bool {
    if unlinkat(descriptor, name, AT_REMOVEDIR) == 0 { return true }
    // POSIX permits either.
    guard errno == ENOTEMPTY || errno == EEXIST else { throw Place.remote(path).failure }
    return false
  }

  /// Removes an entry if it is anything but a folder.
  private func isRemovedAsFile(
    _ name: [CChar], _ path: RemotePath, _ cancellation: CancellationFlag
  ) throws(BackendError) -> Bool {
    try cancellation.check(path)
    if unlinkat(descriptor, name, 0) == 0 { return true }
    // POSIX permits EPERM and Linux gives EISDIR for a folder.
    guard errno == EISDIR || errno == EPERM else { throw Place.remote(path).failure }
    let failure = Place.remote(path).failure
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFDIR
    else {
      throw failure
    }
    return false
  }

  /// Folders that are open at once while one is removed.
  private static let depthLimit = 32
  /// The last pause before a folder that was emptied is looked at again, in microseconds. The first takes a millisecond, each other twice as
  /// long as the one before.
  private static let longestPause: UInt32 = 1_024_000
}
