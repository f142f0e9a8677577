import Foundation
import Locking
import SyncProtocol

/// A remote as a device sees it that has changed nothing of it: what is written stays in a folder on this device, what is removed is
/// hidden. So a device can do what it does, and somebody decides afterwards what of that is to happen.
final class RehearsedStorage: SyncBackend {
  /// What became of a place.
  enum Change: Equatable {
    /// A file of this device lies there.
    case file(String)
    case folder
    case removed
  }

  private struct Written {
    var changes: [RemotePath: Change] = [:]
    var count = 0
  }

  private let base: any SyncBackend
  private let folder: String
  private let written: Locked<Written>

  /// Stands before a remote.
  ///
  /// - Parameters:
  ///   - base: the remote, of which only reading is asked.
  ///   - folder: where what is written stays.
  ///   - hidden: what is not to be seen of the remote.
  init(_ base: any SyncBackend, folder: String, hiding hidden: some Sequence<RemotePath> = []) {
    self.base = base
    self.folder = folder
    written = Locked(
      Written(
        changes: Dictionary(hidden.map { ($0, Change.removed) }, uniquingKeysWith: { first, _ in first })))
  }

  /// What was done, by place.
  var changes: [RemotePath: Change] { written.withLock { $0.changes } }

  var capabilities: BackendCapabilities { [.atomicReplace, .honestCreateIfAbsent] }

  private func change(of path: RemotePath) -> Change? { written.withLock { $0.changes[path] } }

  /// Whether something that was written lies below a folder.
  private func holdsChanges(_ folder: RemotePath) -> Bool {
    written.withLock { written in
      written.changes.contains { path, change in
        change != .removed && path.names.count > folder.names.count && path.names.starts(with: folder.names)
      }
    }
  }

  // MARK: Looking

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    var page = try await list(folder, after: nil)
    var listing = page.listing
    while let next = page.next {
      page = try await list(folder, after: next)
      listing.entries += page.listing.entries
      listing.foreign += page.listing.foreign
    }
    return listing
  }

  func list(
    _ folder: RemotePath, after token: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    var page: ListingPage
    do throws(BackendError) {
      page = try await base.list(folder, after: token)
    } catch {
      guard error.code == .notFound, change(of: folder) == .folder || holdsChanges(folder) else {
        throw error
      }
      page = ListingPage(RemoteListing())
    }
    let changes = changes.filter { $0.key.parent == folder }
    let changed = Set(changes.keys.compactMap(\.name))
    page.listing.entries.removeAll { changed.contains($0.name) }
    // What is new stands on the first page.
    guard token == nil else { return page }
    for (path, change) in changes {
      guard let name = path.name else { continue }
      switch change {
      case .file(let file):
        page.listing.entries.append(RemoteEntry(name: name, kind: .file, size: LocalFile.size(of: file)))
      case .folder: page.listing.entries.append(RemoteEntry(name: name, kind: .folder))
      case .removed: continue
      }
    }
    return page
  }

  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    guard let name = path.name else { throw BackendError(.isADirectory, path: path) }
    switch change(of: path) {
    case .file(let file)?: return RemoteEntry(name: name, kind: .file, size: LocalFile.size(of: file))
    case .folder?: return RemoteEntry(name: name, kind: .folder)
    case .removed?: throw BackendError(.notFound, path: path)
    case nil: return try await base.stat(path)
    }
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    switch change(of: path) {
    case .file(let file)?:
      guard let size = LocalFile.size(of: file), size <= limit else {
        throw BackendError(.tooLarge, path: path)
      }
      do { return [UInt8](try Data(contentsOf: URL(filePath: file))) } catch {
        throw BackendError(ofThisDevice: error)
          ?? BackendError(.localFile, path: path, detail: error.localizedDescription)
      }
    case .folder?: throw BackendError(.isADirectory, path: path)
    case .removed?: throw BackendError(.notFound, path: path)
    case nil: return try await base.download(path, limit: limit)
    }
  }

  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let changes = changes
    return await base.downloadAtOnce(
      names.filter { changes[folder.appending($0)] == nil }, in: folder, limit: limit)
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    switch change(of: path) {
    case .file(let file)?: try copy(file, to: localPath, path)
    case .folder?: throw BackendError(.isADirectory, path: path)
    case .removed?: throw BackendError(.notFound, path: path)
    case nil: try await base.download(path, toFile: localPath, progress: progress)
    }
  }

  private func copy(_ file: String, to place: String, _ path: RemotePath) throws(BackendError) {
    do {
      try? FileManager.default.removeItem(atPath: place)
      try FileManager.default.copyItem(atPath: file, toPath: place)
    } catch {
      throw BackendError(ofThisDevice: error)
        ?? BackendError(.localFile, path: path, detail: error.localizedDescription)
    }
  }

  // MARK: Changing

  private func placeForFile() -> String {
    let number = written.withLock { written in
      written.count += 1
      return written.count
    }
    return "\(folder)/\(number)"
  }

  private func note(_ change: Change, _ path: RemotePath) {
    written.withLock { $0.changes[path] = change }
  }

  private func requireAbsent(_ path: RemotePath) async throws(BackendError) {
    do throws(BackendError) {
      _ = try await stat(path)
    } catch {
      if error.code == .notFound { return }
      throw error
    }
    throw BackendError(.alreadyExists, path: path)
  }

  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    let file = placeForFile()
    do {
      try Data(bytes).write(to: URL(filePath: file))
    } catch {
      throw BackendError(ofThisDevice: error)
        ?? BackendError(.localFile, path: path, detail: error.localizedDescription)
    }
    note(.file(file), path)
  }

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    let file = placeForFile()
    try copy(localPath, to: file, path)
    note(.file(file), path)
  }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await requireAbsent(path)
    try await upload(bytes, to: path)
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await requireAbsent(path)
    try await upload(file: localPath, to: path, progress: progress)
  }

  func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    do throws(BackendError) {
      guard try await stat(path).kind == .folder else { throw BackendError(.notADirectory, path: path) }
    } catch {
      guard error.code == .notFound else { throw error }
      if let parent = path.parent, parent != .root { try await makeDirectory(parent) }
      note(.folder, path)
    }
  }

  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    throw BackendError(.unsupported, path: source)
  }

  func remove(_ path: RemotePath) async throws(BackendError) {
    _ = try await stat(path)
    note(.removed, path)
  }
}
