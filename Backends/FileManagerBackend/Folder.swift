import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open folder of the remote. Everything in it is named relative to its descriptor, so that nobody can exchange a
/// folder above for a link while it is in use.
struct Folder: ~Copyable {
  private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
  static let newFolderMode: mode_t = 0o777
  let descriptor: Int32

  private init(owning descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens the folder that is the remote.
  static func openRoot(_ path: String) throws(BackendError) -> Folder {
    #if canImport(Glibc)
      let descriptor = Glibc.open(path, flags)
    #elseif canImport(Musl)
      let descriptor = Musl.open(path, flags)
    #else
      let descriptor = Darwin.open(path, flags)
    #endif
    guard descriptor < 0 else { return Folder(owning: descriptor) }
    let number = errno
    switch Place.meaning(of: number) {
    case _ where number == ELOOP:
      throw BackendError(
        .unreachable, path: .root, detail: "symbolic links on the way to the folder \(path) lead in a circle",
        recovery: "Correct the links, or the location of the remote.")
    case .notFound:
      throw BackendError(
        .unreachable, path: .root, detail: "the folder \(path) does not exist",
        recovery: "Mount or create the folder \(path), or correct the location of the remote.")
    case .notADirectory:
      throw BackendError(
        .notADirectory, path: .root, detail: "\(path) is a file",
        recovery: "Give the folder that is to hold the remote, not a file.")
    case .forbidden:
      throw BackendError(
        .forbidden, path: .root, detail: "the folder \(path) cannot be read",
        recovery: "Permit this user to read and write the folder \(path).")
    default:
      throw Place.remote(.root).failure(number)
    }
  }

  /// Opens a folder of the remote.
  static func open(_ path: RemotePath, below root: Root) throws(BackendError) -> Folder {
    var folder = try root.open()
    if path.names.count > 1,
      let found = DirectOpening.folder(
        path.names.map(\.description), below: folder.descriptor, flags: flags | O_NOFOLLOW)
    {
      return Folder(owning: found)
    }
    for (depth, name) in path.names.enumerated() {
      folder = try folder.openFolder(name.description, RemotePath(Array(path.names[...depth])))
    }
    return folder
  }

  /// Opens the folder that holds, or is to hold, an entry.
  static func openParent(of path: RemotePath, below root: Root) throws(BackendError) -> Parent {
    guard let parent = path.parent, let name = path.name else {
      throw BackendError(
        .isADirectory, path: path, detail: "the root itself is never read, written or removed")
    }
    return Parent(folder: try open(parent, below: root), name: name)
  }

  /// A folder together with the name of an entry in it.
  struct Parent: ~Copyable {
    let folder: Folder
    let name: RemoteName
  }

  /// Makes a folder and those above it, as far as they are missing.
  static func make(_ path: RemotePath, below root: Root) throws(BackendError) {
    var folder = try root.open()
    for (depth, name) in path.names.enumerated() {
      let here = RemotePath(Array(path.names[...depth]))
      if mkdirat(folder.descriptor, name.description, newFolderMode) == 0 {
        try folder.flush(here)
      } else if errno != EEXIST {
        throw Place.remote(here).failure
      }
      folder = try folder.openFolder(name.description, here)
    }
  }

  /// Opens a folder in this one, unless it is a link.
  func openFolder(_ name: String, _ path: RemotePath) throws(BackendError) -> Folder {
    try openFolder(name.utf8.map { CChar(bitPattern: $0) } + [0], path)
  }

  /// Opens a folder by a name as the file system holds it.
  func openFolder(_ name: [CChar], _ path: RemotePath) throws(BackendError) -> Folder {
    let child = openat(descriptor, name, Self.flags | O_NOFOLLOW)
    guard child >= 0 else {
      let number = errno
      var failure = Place.remote(path).failure(number)
      var status = stat()
      if number == ENOTDIR, fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFLNK
      {
        failure.detail = "a symbolic link, which is not followed"
      }
      throw failure
    }
    return Folder(owning: child)
  }

  /// Opens a file in this folder for reading, unless it is a link.
  func openFile(_ name: RemoteName, _ path: RemotePath) throws(BackendError) -> OpenFile {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let child = openat(descriptor, name.description, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard child >= 0 else { throw Place.remote(path).failure }
    var status = stat()
    guard fstat(child, &status) == 0 else {
      let failure = Place.remote(path).failure
      close(child)
      throw failure
    }
    let file = OpenFile(owning: child, size: status.st_size)
    switch status.st_mode & S_IFMT {
    case S_IFREG: return file
    case S_IFDIR: throw BackendError(.isADirectory, path: path)
    default: throw BackendError(.forbidden, path: path, detail: "neither a file nor a folder")
    }
  }

  /// Waits until the names in this folder are on the disk.
  func flush(_ path: RemotePath) throws(BackendError) {
    guard OpenFile.retrying({ Int(fsync(descriptor)) }) == 0 else {
      // Some network file systems cannot flush a folder; they have nothing to flush.
      if errno == EINVAL || errno == ENOTSUP { return }
      throw Place.remote(path).failure
    }
  }
}
