import Locking
import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder that is the remote, and how it is recognised.
///
/// Where a drive was mounted, its empty mount point remains when it goes: another folder, with nothing in it. It must not be
/// taken for a remote from which everybody has removed everything.
final class Root: Sendable {
  /// The folder, as given.
  let path: String
  private let known = Locked<FileIdentity?>(nil)

  init(_ path: String) { self.path = path }

  /// Opens the folder.
  ///
  /// - Throws: `BackendError`, with `unreachable` if it is not there, or is another one than before and empty.
  func open() throws(BackendError) -> Folder {
    let folder = try Folder.openRoot(path)
    var status = stat()
    guard fstat(folder.descriptor, &status) == 0 else { throw Place.remote(.root).failure }
    let found = FileIdentity(status)
    let before = known.withLock { $0 }
    if let before, before != found, try folder.names(.root).isEmpty {
      throw BackendError(
        .unreachable, path: .root,
        detail: "the folder \(path) is empty, and not the one that was there before",
        recovery: "Mount \(path) again. If it is meant to be empty now, start the program again.")
    }
    known.withLock { $0 = found }
    return folder
  }

  /// What a failure means once the root has been looked at: what cannot be found in a folder that went away in the middle of
  /// a request is out of reach.
  func explain(_ error: BackendError) -> BackendError {
    guard error.code == .notFound else { return error }
    do throws(BackendError) {
      _ = try open()
      return error
    } catch {
      return error
    }
  }
}
