import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files on this device at the other end of a transfer.
enum LocalCopy {
  /// Opens a file for reading.
  static func open(_ file: String, _ path: RemotePath) throws(BackendError) -> OpenFile {
    let descriptor = openat(AT_FDCWD, file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Place.local(path, file).failure }
    return OpenFile(owning: descriptor)
  }

  /// Writes a file that only this user can read and that appears when it is complete.
  static func write(
    to file: String, _ path: RemotePath, content: (borrowing OpenFile) throws(BackendError) -> Void
  ) throws(BackendError) {
    let place = Place.local(path, file)
    let temporary = file + TemporaryName.make()
    let descriptor = openat(AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw place.failure }
    do throws(BackendError) {
      let target = OpenFile(owning: descriptor)
      try content(target)
      try target.flush(place)
      guard rename(temporary, file) == 0 else { throw place.failure }
    } catch {
      unlink(temporary)
      throw error
    }
  }
}
