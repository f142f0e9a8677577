import ChangeTracking
import Foundation
import TICDSSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Puts a complete store in the place of another one, and keeps that one until the new one has been synchronised once.
///
/// At each moment a complete store lies at the place, whatever is interrupted: the former one until the new one takes its name in a single
/// step. The former one lies in a folder beside it from before that step on.
struct StoreReplacement {
  /// Where the store lies.
  let path: String

  /// The folder that holds the former store, with its files, under its own name.
  var keptFolder: String { path + ".replaced" }
  private var name: String { URL(filePath: path).lastPathComponent }
  /// The former store, while it is kept.
  var keptStore: String { "\(keptFolder)/\(name)" }

  /// Exchanges the stores.
  ///
  /// - Parameter staged: the new one, on the same volume; nothing else has it open.
  /// - Throws: ``SyncError`` with `storeBusy` if somebody has one of them open, `SQLiteError`, or a file system error.
  func exchange(for staged: String) throws {
    try Self.leaveLog(staged)
    guard FileManager.default.fileExists(atPath: path) else { return try place(staged) }
    try Self.leaveLog(path)
    let former = try Connection(path: path, options: .init(access: .readWrite))
    // Without a log, a lock on the file is all that writers need to be kept off until the name is another file's.
    try former.execute(script: "BEGIN EXCLUSIVE")
    defer { try? former.execute(script: "ROLLBACK") }
    try keep()
    try place(staged)
  }

  /// Removes the former store, which nobody needs any more.
  func finish() {
    guard FileManager.default.fileExists(atPath: keptFolder) else { return }
    try? FileManager.default.removeItem(atPath: keptFolder)
  }

  /// Brings what is in a store's log into its file: a log that outlives its store would be taken for the next one's.
  private static func leaveLog(_ path: String) throws {
    let connection = try Connection(path: path, options: .init(access: .readWrite, busyTimeout: 1_000))
    let busy = SyncError(
      .storeBusy, subject: path, "The store is open elsewhere, so another cannot take its place.",
      recovery: "Close it, and end other programs that use it.")
    do {
      guard case .text("delete")? = try connection.first("PRAGMA journal_mode = DELETE") else { throw busy }
    } catch let error as SQLiteError {
      throw error.code == .busy || error.code == .locked ? busy : error
    }
  }

  /// A store that was kept when this was interrupted is the one to keep.
  private func keep() throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: keptStore) else { return }
    try files.createDirectory(
      atPath: keptFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try carryFiles(from: path, to: keptStore)
    let partial = keptStore + ".partial"
    LocalFile.remove(partial)
    do {
      try files.linkItem(atPath: path, toPath: partial)
    } catch {
      // Not every volume gives a file two names.
      try files.copyItem(atPath: path, toPath: partial)
    }
    try files.moveItem(atPath: partial, toPath: keptStore)
  }

  private func place(_ staged: String) throws {
    try carryFiles(from: staged, to: path)
    guard rename(staged, path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
  }

  /// The files first: whoever finds the store finds all that it leads to. One that has a name already is the same.
  private func carryFiles(from source: String, to destination: String) throws {
    let files = FileManager.default
    let names = try StoreAttachments.names(ofStoreAt: source)
    guard !names.isEmpty else { return }
    let (from, to) = (
      StoreAttachments.folder(ofStoreAt: source), StoreAttachments.folder(ofStoreAt: destination)
    )
    try files.createDirectory(atPath: to, withIntermediateDirectories: true)
    for name in names where !files.fileExists(atPath: "\(to)/\(name)") {
      do {
        try files.linkItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
      } catch {
        try files.copyItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
      }
    }
  }
}

extension RemoteDocument {
  /// Puts the newest whole store that opens in the place of a store, for a device that gives up what it holds; without any, an empty one.
  ///
  /// Whatever is interrupted, one of the two is there in full, and repeating it continues. The former store is kept in a folder beside it, named
  /// after it with `.replaced` behind, until the new one has been synchronised once (``DocumentSyncManager/synchronize(_:)``). Nothing of it
  /// is sent. Nobody has the store open meanwhile. Then open it, make its replica, and register and synchronise.
  ///
  /// - Parameters:
  ///   - path: where the store lies.
  ///   - progress: told how far it is.
  ///   - opening: opens the store at a path, as for ``beginStore(at:progress:opening:)``.
  ///   - making: makes an empty store at a path, and closes it.
  /// - Throws: ``SyncError`` as ``beginStore(at:progress:opening:)``, and with `storeBusy`. The former store is in its place then.
  public func replaceStore(
    at path: String, progress: WholeStoreProgress.Handler? = nil, opening: (String) throws -> Replica,
    making: (String) throws -> Void
  ) async throws(SyncError) -> BegunStore {
    let scratch: ScratchFolder
    do {
      scratch = try ScratchFolder(beside: path, named: "replacing")
    } catch {
      throw SyncError(wrapping: error)
    }
    let staged = scratch.file(URL(filePath: path).lastPathComponent)
    let begun = try await beginStore(at: staged, progress: progress, opening: opening)
    do {
      try Task.checkCancellation()
      if begun.store == nil { try making(staged) }
      try StoreReplacement(path: path).exchange(for: staged)
    } catch {
      throw SyncError(wrapping: error)
    }
    return begun
  }
}
