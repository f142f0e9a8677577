import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Folder {
  /// What lies in this folder.
  func list(
    _ path: RemotePath, _ grammar: NameGrammar, removesAbandoned: Bool, _ cancellation: CancellationFlag
  ) throws(BackendError) -> RemoteListing {
    var listing = RemoteListing()
    for (number, rawName) in try names(path).enumerated() {
      if number % 256 == 0 { try cancellation.check(path) }
      let name = rawName.text
      if TemporaryName.matches(name) {
        if removesAbandoned { removeIfAbandoned(name) }
        continue
      }
      if SillyRename.matches(name) { continue }
      guard rawName.isText, let valid = RemoteName(name, grammar), ConflictCopy(name) == nil else {
        listing.foreign.append(name)
        continue
      }
      do throws(BackendError) {
        listing.entries.append(try entry(valid, path.appending(valid)))
      } catch {
        switch error.code {
        // Removed or renamed since the names were read.
        case .notFound: continue
        case .forbidden: listing.foreign.append(name)
        default: throw error
        }
      }
    }
    return listing.withoutDoubles
  }

  /// What is known of an entry.
  func entry(
    _ name: RemoteName, _ path: @autoclosure () -> RemotePath
  ) throws(BackendError) -> RemoteEntry {
    var status = stat()
    guard fstatat(descriptor, name.description, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw Place.remote(path()).failure
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let dates = FileDates(status)
      return RemoteEntry(
        name: name, kind: .file, size: Int64(status.st_size), modified: dates.modified,
        version: dates.version(inode: UInt64(status.st_ino), size: Int64(status.st_size)))
    case S_IFDIR: return RemoteEntry(name: name, kind: .folder)
    default: throw BackendError(.forbidden, path: path(), detail: "neither a file nor a folder")
    }
  }

  /// All names in this folder as the file system gives them, without `.` and `..`.
  func names(_ path: RemotePath) throws(BackendError) -> [RawName] {
    // The stream takes over its descriptor and moves its position, so it gets one of its own.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw Place.remote(path).failure }
    guard let stream = fdopendir(copy) else {
      let failure = Place.remote(path).failure
      close(copy)
      throw failure
    }
    defer { closedir(stream) }
    var names: [RawName] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw Place.remote(path).failure }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
          RawName($0)
        }
      }
      if !name.isDots { names.append(name) }
    }
  }

  /// Removes what a writer that crashed has left.
  ///
  /// A file server's clock may be years away from this device's, so the file must be old by both: by this device's, and by
  /// that which dated the last change of this folder.
  private func removeIfAbandoned(_ name: String) {
    var (status, own, now) = (stat(), stat(), timespec())
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, fstat(descriptor, &own) == 0,
      clock_gettime(CLOCK_REALTIME, &now) == 0
    else { return }
    let written = FileDates(status).modified
    let isOld = [.seconds(now.tv_sec), FileDates(own).modified].allSatisfy {
      $0 - written > TemporaryName.abandonedAfter
    }
    if isOld { unlinkat(descriptor, name, 0) }
  }
}
