import Foundation

/// Makes a file, or a folder, that appears under its name when it is complete.
///
/// It is made in a folder of its own beside that name. Whoever makes it holds a lock on a file in the folder, so that two who make the same file at once
/// do not disturb each other, and what somebody left who was killed is told from what is being made.
package struct WholeFile {
  private let path: String
  private let folder: String

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - path: Where the file appears. An existing one is not replaced.
  ///   - write: Makes the file at the path that it gets, perhaps with others beside it.
  /// - Throws: ``StoreFileError`` with `exists`, `busy` or `nameTooLong`, a `CocoaError` of the file system, what `write` throws.
  static func make(_ path: String, _ write: (_ path: String) throws -> Void) throws {
    try work(for: path) { working in
      try refuseTaken(path)
      try refuseJournals(of: path)
      try write(working)
      try FileManager.default.moveItem(atPath: working, toPath: path)
    }
  }

  /// Lends a place beside a name to whoever makes what is to have that name. What is left there in the end goes.
  ///
  /// - Parameters:
  ///   - path: The name.
  ///   - body: Makes something at the path that it gets, which nothing has yet, and gives it its name.
  /// - Throws: ``StoreFileError`` with `exists` or `busy`, a `CocoaError` of the file system, what `body` throws.
  package static func work(for path: String, _ body: (_ path: String) throws -> Void) throws {
    let file = WholeFile(path)
    let lock = try file.lock()
    defer { close(lock) }
    // While it is locked, for another may make the folder as soon as it is gone.
    defer { try? FileManager.default.removeItem(atPath: file.folder) }
    try body(file.working)
  }

  private init(_ path: String) {
    self.path = path
    let (parent, name) = (
      URL(filePath: path).deletingLastPathComponent(), URL(filePath: path).lastPathComponent
    )
    folder = parent.appending(path: ".\(Self.beginning(of: name)).unfinished").path(percentEncoded: false)
  }

  private var working: String { folder + "/" + Self.workingName }

  private static let workingName = "store"
  private static let lockName = "lock"
  private static let journalSuffix = "-journal"
  /// File systems take 255 bytes, of which a journal needs eight more, and the folder for long values nine.
  private static let nameLimit = 246

  /// As much of a name as leaves room for what is added.
  private static func beginning(of name: String) -> Substring {
    var beginning = name[...]
    while beginning.utf8.count > 200 { beginning.removeLast() }
    return beginning
  }

  /// Makes the folder and locks it. What was left in it goes.
  private func lock() throws -> Int32 {
    // Who is done removes the folder, perhaps between two steps of this.
    for _ in 0..<100 {
      if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure(errno) }
      let left = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      if let other = left.first(where: { !Self.isOwn($0) }) {
        throw StoreFileError(
          .exists, path: path,
          "the folder \(folder), in which it would be made, holds something else: \(other)")
      }
      let name = folder + "/" + Self.lockName
      let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if descriptor < 0 {
        if errno == ENOENT { continue }
        throw failure(errno)
      }
      // Where the file system has no locks, nobody else is known of.
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        close(descriptor)
        throw StoreFileError(.busy, path: path, "another program is making this file just now")
      }
      var (locked, present) = (stat(), stat())
      if fstat(descriptor, &locked) == 0, lstat(name, &present) == 0, locked.st_ino == present.st_ino {
        for name in left where name != Self.lockName {
          try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        return descriptor
      }
      close(descriptor)
    }
    throw StoreFileError(.busy, path: path, "other programs are making this file just now")
  }

  /// Whether something in the folder is of those that make files in it.
  private static func isOwn(_ name: String) -> Bool {
    name == lockName || name.hasPrefix(workingName) || name.hasPrefix(".\(workingName)")
  }

  /// - Throws: ``StoreFileError`` with `exists` if there is something of a name, `nameTooLong` if there is no room for those of a journal and a folder.
  static func refuseTaken(_ path: String) throws(StoreFileError) {
    let length = URL(filePath: path).lastPathComponent.utf8.count
    guard length <= nameLimit else {
      throw StoreFileError(
        .nameTooLong, path: path,
        "the name has \(length) bytes, and \(nameLimit) leave room for the names of what lies beside it")
    }
    if StorePath.isTaken(path) {
      throw StoreFileError(.exists, path: path, "there is a file of this name already")
    }
  }

  /// Refuses a place beside which journals of another store have stayed: SQLite would take them for those of the new one.
  private static func refuseJournals(of path: String) throws(StoreFileError) {
    for suffix in [journalSuffix, "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      throw StoreFileError(
        .exists, path: path + suffix,
        "it is the journal of another store, and would be taken for that of the new one")
    }
  }

  private func failure(_ number: Int32) -> any Error {
    let code: CocoaError.Code =
      switch number {
      case ENOENT, ENOTDIR: .fileNoSuchFile
      case EACCES, EPERM: .fileWriteNoPermission
      case ENOSPC, EDQUOT: .fileWriteOutOfSpace
      case EROFS: .fileWriteVolumeReadOnly
      default: .fileWriteUnknown
      }
    var information: [String: Any] = [NSFilePathErrorKey: path]
    if let beneath = POSIXErrorCode(rawValue: number) {
      information[NSUnderlyingErrorKey] = POSIXError(beneath)
    }
    return CocoaError(code, userInfo: information)
  }
}
