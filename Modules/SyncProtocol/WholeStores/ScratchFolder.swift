import Foundation
import SystemErrors

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder of this device's own, beside a store or where temporary files belong, for files that are worth nothing once the work is
/// done: readable by the owner only, emptied when it is made, and gone with this object. A process that was killed leaves it to the
/// next one.
package final class ScratchFolder: Sendable {
  let path: String
  /// Shows those who sweep that somebody is at work here; the system lets go of it when the process ends, however it ends.
  private let lock: Int32?

  private static let prefix = "ticds-"
  private static let lockName = ".lock"
  /// A folder without a lock is left alone for so long: its maker may be about to lock it.
  private static let age: TimeInterval = 60 * 60

  /// - Throws: a file system error.
  convenience init(beside store: String, named suffix: String) throws {
    try self.init("\(store).\(suffix)", isLocked: false)
  }

  /// A folder where there is no store.
  ///
  /// - Throws: ``BackendError`` with `localFile`, which names the folder for temporary files.
  package static func temporary() throws(BackendError) -> ScratchFolder {
    let path = URL.temporaryDirectory.appending(path: prefix + UUID().uuidString).path(percentEncoded: false)
    do {
      return try ScratchFolder(path, isLocked: true)
    } catch {
      let number = (error as? CocoaError)?.systemError ?? obstacle(path)
      let words = number.map { String(cString: strerror($0)) } ?? error.localizedDescription
      throw BackendError(
        .localFile, path: .root,
        detail:
          "the folder for temporary files “\(URL.temporaryDirectory.path(percentEncoded: false))”: \(words)",
        recovery: "Let TMPDIR name a folder that can be written.",
        // That there is none is no more than that it cannot be used: nobody has asked for what lies in it.
        systemError: number == ENOENT || number == ENOTDIR ? nil : number)
    }
  }

  /// What the system says to whoever makes a folder, where Foundation keeps that to itself.
  private static func obstacle(_ path: String) -> Int32? {
    guard mkdir(path, 0o700) != 0 else {
      rmdir(path)
      return nil
    }
    return errno
  }

  private init(_ path: String, isLocked: Bool) throws {
    self.path = path
    try Self.clear(path)
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    lock = isLocked ? Self.lock(path) : nil
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  deinit {
    try? Self.clear(path)
    if let lock { close(lock) }
  }

  private static func clear(_ path: String) throws {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch CocoaError.fileNoSuchFile {
      return
    }
  }

  // MARK: Folders of processes that were killed

  /// Removes temporary folders of this user's processes that were killed: they may hold what is encrypted elsewhere, in the clear.
  /// Blocks while it removes. What cannot be looked at or removed stays.
  package static func sweep() {
    let above = URL.temporaryDirectory.path(percentEncoded: false)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: above)) ?? [] {
      guard name.hasPrefix(prefix), UUID(uuidString: String(name.dropFirst(prefix.count))) != nil else {
        continue
      }
      let path = URL(filePath: above).appending(path: name).path(percentEncoded: false)
      if isAbandoned(path) { try? clear(path) }
    }
  }

  /// Takes the lock before it bears its name, so that nobody finds one that is not held yet. `nil` where files cannot be locked.
  private static func lock(_ folder: String) -> Int32? {
    let unnamed = "\(folder)/\(lockName).new"
    let descriptor = open(unnamed, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, rename(unnamed, "\(folder)/\(lockName)") == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func isAbandoned(_ folder: String) -> Bool {
    var status = stat()
    // Everybody may write where temporary files belong: only a folder that nobody else can have made or filled is ours.
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else { return false }
    let descriptor = open("\(folder)/\(lockName)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    let number = errno
    guard descriptor >= 0 else {
      let attributes = try? FileManager.default.attributesOfItem(atPath: folder)
      guard number == ENOENT, let changed = attributes?[.modificationDate] as? Date else { return false }
      return Date().timeIntervalSince(changed) > age
    }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }
}
