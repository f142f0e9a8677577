import Locking
import SyncProtocol

/// A remote that lives in memory: for tests and simulations. Safe to use from any task.
///
/// Like a folder replicator it can be late: what is hidden is neither listed nor delivered until it is shown again.
public final class MemoryBackend: SyncBackend {
  private struct Tree {
    var files: [RemotePath: [UInt8]] = [:]
    var folders: Set<RemotePath> = [.root]
    var hidden: Set<RemotePath> = []
    var foreign: [RemotePath: [String]] = [:]
    /// Those of the files that another program has put there.
    var foreignFiles: Set<RemotePath> = []
    var refused: [RemotePath: BackendError.Code] = [:]
    var isReachable = true
    var watchers: [UInt64: (folder: RemotePath, told: AsyncStream<Void>.Continuation)] = [:]
    var nextWatcher: UInt64 = 0

    /// Lets those folders be there that something lies in.
    mutating func foldFolders() {
      folders = [.root]
      let holders = files.keys.compactMap(\.parent) + foreign.filter { !$0.value.isEmpty }.keys
      for holder in holders {
        var folder = holder
        while folders.insert(folder).inserted, let parent = folder.parent { folder = parent }
      }
    }

    func isBelowFile(_ path: RemotePath) -> Bool {
      path.names.indices.contains { files[RemotePath(Array(path.names[..<$0]))] != nil }
    }
  }

  private let tree = Locked(Tree())

  /// What this remote does beyond the minimum.
  public let capabilities: BackendCapabilities
  private let pageSize: Int

  /// Everything that a folder can promise.
  public static let standardCapabilities: BackendCapabilities = [
    .atomicReplace, .honestCreateIfAbsent, .move, .watch,
  ]

  /// An empty remote.
  ///
  /// - Parameters:
  ///   - capabilities: with `implicitFolders`, folders come with the first file and vanish with the last, as in object storage.
  ///   - pageSize: how many entries a page of a listing has.
  public init(capabilities: BackendCapabilities = standardCapabilities, pageSize: Int = 1_000) {
    self.capabilities = capabilities
    self.pageSize = max(1, pageSize)
  }

  private var hasFolders: Bool { !capabilities.contains(.implicitFolders) }

  /// Every file with its content.
  public var files: [RemotePath: [UInt8]] { tree.withLock { $0.files } }

  /// Every file and folder in order, one per line: folders end with a slash.
  public var snapshot: String {
    tree.withLock { tree in
      let folders = tree.folders.subtracting([.root]).map { "\($0)/" }
      return (folders + tree.files.keys.map(\.description)).sorted().joined(separator: "\n")
    }
  }

  /// Takes the remote away, as when a drive is pulled out, or brings it back: without it every request is `unreachable`.
  public func setReachable(_ isReachable: Bool) { tree.withLock { $0.isReachable = isReachable } }

  /// Makes a file late: as if the storage had not delivered it yet.
  public func hide(_ path: RemotePath) { _ = tree.withLock { $0.hidden.insert(path) } }

  /// Refuses every request about an entry, as for a link, a pipe or a file that may not be read; `nil` ends that.
  public func refuse(_ path: RemotePath, with code: BackendError.Code?) {
    tree.withLock { $0.refused[path] = code }
  }

  /// Delivers what was late.
  public func showAll() { tree.withLock { $0.hidden = [] } }

  /// Changes the bytes of a file behind everybody's back.
  public func tamper(_ path: RemotePath, _ change: (inout [UInt8]) -> Void) {
    tree.withLock { tree in
      guard var bytes = tree.files[path] else { return }
      change(&bytes)
      tree.files[path] = bytes
    }
  }

  /// Puts something foreign into a folder.
  ///
  /// - Parameters:
  ///   - name: listed as foreign.
  ///   - folder: where it lies.
  ///   - bytes: what can be read under its name, if `NameGrammar.classic` admits that; `nil` for what is no file.
  public func addForeign(_ name: String, to folder: RemotePath, holding bytes: [UInt8]? = nil) {
    tree.withLock { tree in
      if let bytes, let name = RemoteName(name, .classic) {
        tree.files[folder.appending(name)] = bytes
        tree.foreignFiles.insert(folder.appending(name))
      } else {
        tree.foreign[folder, default: []].append(name)
      }
      if !hasFolders { tree.foldFolders() }
    }
  }

  /// Goes back to the files and folders of an earlier copy, as a restored server does.
  public func restore(_ other: MemoryBackend) {
    let copy = other.tree.withLock { ($0.files, $0.folders, $0.hidden, $0.foreign, $0.foreignFiles) }
    tree.withLock { ($0.files, $0.folders, $0.hidden, $0.foreign, $0.foreignFiles) = copy }
  }

  /// Takes over what another remote has and this one has not, as two copies of a folder do when they meet again.
  public func meet(_ other: MemoryBackend) {
    let copy = other.tree.withLock { (files: $0.files, folders: $0.folders) }
    tree.withLock { tree in
      tree.files.merge(copy.files) { own, _ in own }
      tree.folders.formUnion(copy.folders)
    }
  }

  /// An independent remote with the same content.
  public func copy() -> MemoryBackend {
    let copy = MemoryBackend(capabilities: capabilities, pageSize: pageSize)
    copy.restore(self)
    return copy
  }

  private func access<Result: Sendable>(
    _ path: RemotePath, _ body: (inout Tree) -> Outcome<Result>
  ) throws(BackendError) -> Result {
    if Task.isCancelled { throw BackendError(.cancelled, path: path) }
    let outcome = tree.withLock { tree -> Outcome<Result> in
      guard tree.isReachable else { return .failure(.unreachable) }
      if let code = tree.refused[path] { return .failure(code) }
      return body(&tree)
    }
    switch outcome {
    case .success(let result): return result
    case .failure(let code, let other): throw BackendError(code, path: other ?? path)
    }
  }

  /// Like `access`, and tells those who watch that something may have changed.
  private func change(
    _ path: RemotePath, _ body: (inout Tree) -> Outcome<Void>
  ) throws(BackendError) {
    try access(path) { tree in
      let outcome = body(&tree)
      if !hasFolders { tree.foldFolders() }
      return outcome
    }
    tell(of: path)
  }

  private enum Outcome<Result: Sendable>: Sendable {
    case success(Result)
    /// What happened, and to which entry, if that is not the one that was asked for.
    case failure(BackendError.Code, at: RemotePath? = nil)
  }

  /// Lists a folder.
  public func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try access(folder) { tree in
      if tree.files[folder] != nil { return .failure(.notADirectory) }
      guard tree.folders.contains(folder) else { return .failure(.notFound) }
      var listing = RemoteListing(foreign: tree.foreign[folder] ?? [])
      for (path, bytes) in tree.files where path.parent == folder && !tree.hidden.contains(path) {
        guard let name = path.name else { continue }
        if tree.foreignFiles.contains(path) {
          listing.foreign.append(name.description)
        } else {
          listing.entries.append(RemoteEntry(name: name, kind: .file, size: Int64(bytes.count)))
        }
      }
      for path in tree.folders where path.parent == folder {
        if let name = path.name { listing.entries.append(RemoteEntry(name: name, kind: .folder)) }
      }
      return .success(listing)
    }
  }

  /// Lists a part of a folder, by name.
  public func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    var listing = try await list(folder)
    listing.entries.sort { $0.name < $1.name }
    if let page {
      listing.foreign = []
      listing.entries.removeAll { !page.description.utf8.lexicographicallyPrecedes($0.name.description.utf8) }
    }
    guard listing.entries.count > pageSize else { return ListingPage(listing) }
    listing.entries.removeLast(listing.entries.count - pageSize)
    return ListingPage(listing, next: listing.entries.last.map { ListingPage.Token($0.name.description) })
  }

  /// Examines an entry.
  public func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try access(path) { tree in
      guard let name = path.name else { return .failure(.isADirectory) }
      if tree.folders.contains(path) { return .success(RemoteEntry(name: name, kind: .folder)) }
      guard let bytes = tree.files[path], !tree.hidden.contains(path) else { return .failure(.notFound) }
      return .success(RemoteEntry(name: name, kind: .file, size: Int64(bytes.count)))
    }
  }

  /// Reads a file.
  public func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try access(path) { tree in
      if tree.folders.contains(path) { return .failure(.isADirectory) }
      guard let bytes = tree.files[path], !tree.hidden.contains(path) else { return .failure(.notFound) }
      return bytes.count <= limit ? .success(bytes) : .failure(.tooLarge)
    }
  }

  /// Reads several files of a folder at one moment.
  public func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let found = try? access(folder) { tree in
      var found: [RemoteName: [UInt8]] = [:]
      for name in names {
        let path = folder.appending(name)
        guard let bytes = tree.files[path], bytes.count <= limit, !tree.hidden.contains(path),
          tree.refused[path] == nil
        else { continue }
        found[name] = bytes
      }
      return .success(found)
    }
    return found ?? [:]
  }

  /// Copies a file to this device.
  public func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    let bytes = try await download(path, limit: .max)
    try LocalBytes.write(bytes, to: localPath, path, progress)
  }

  /// Writes a file.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try write(bytes, to: path, replacing: true)
  }

  /// Copies a file from this device.
  public func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try write(LocalBytes.read(localPath, path, progress), to: path, replacing: true)
  }

  /// Writes a file unless the name is taken.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try write(bytes, to: path, replacing: false)
  }

  /// Copies a file from this device unless the name is taken.
  public func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try write(LocalBytes.read(localPath, path, progress), to: path, replacing: false)
  }

  private func write(_ bytes: [UInt8], to path: RemotePath, replacing: Bool) throws(BackendError) {
    try change(path) { tree -> Outcome<Void> in
      guard let parent = path.parent else { return .failure(.isADirectory) }
      if tree.isBelowFile(path) { return .failure(.notADirectory) }
      guard tree.folders.contains(parent) || !hasFolders else { return .failure(.notFound) }
      if tree.folders.contains(path) { return .failure(replacing ? .isADirectory : .alreadyExists) }
      if !replacing && tree.files[path] != nil { return .failure(.alreadyExists) }
      tree.files[path] = bytes
      return .success(())
    }
  }

  /// Makes a folder and those above it.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try change(path) { tree -> Outcome<Void> in
      var folder = RemotePath.root
      for name in path.names {
        folder = folder.appending(name)
        if tree.files[folder] != nil { return .failure(.notADirectory) }
        tree.folders.insert(folder)
      }
      return .success(())
    }
  }

  /// Renames a file or folder.
  public func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try change(source) { tree -> Outcome<Void> in
      guard source != .root, let parent = destination.parent else { return .failure(.isADirectory) }
      guard tree.files[source] != nil || tree.folders.contains(source) else { return .failure(.notFound) }
      guard tree.folders.contains(parent) || !hasFolders && !tree.isBelowFile(destination) else {
        return .failure(.notFound, at: destination)
      }
      guard tree.files[destination] == nil, !tree.folders.contains(destination) else {
        return .failure(.alreadyExists, at: destination)
      }
      guard !destination.names.starts(with: source.names) else { return .failure(.unsupported) }
      func moved(_ path: RemotePath) -> RemotePath {
        guard path.names.starts(with: source.names) else { return path }
        return RemotePath(destination.names + path.names.dropFirst(source.names.count))
      }
      tree.files = Dictionary(uniqueKeysWithValues: tree.files.map { (moved($0.key), $0.value) })
      tree.folders = Set(tree.folders.map(moved))
      tree.foreign = Dictionary(uniqueKeysWithValues: tree.foreign.map { (moved($0.key), $0.value) })
      tree.foreignFiles.remove(source)
      tree.foreignFiles = Set(tree.foreignFiles.map(moved))
      return .success(())
    }
    tell(of: destination)
  }

  /// Removes a file, or a folder with everything in it.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    try change(path) { tree -> Outcome<Void> in
      guard path != .root else { return .failure(.isADirectory) }
      if tree.files.removeValue(forKey: path) != nil {
        tree.foreignFiles.remove(path)
        return .success(())
      }
      guard tree.folders.contains(path) else { return .failure(.notFound) }
      tree.files = tree.files.filter { !$0.key.names.starts(with: path.names) }
      tree.folders = tree.folders.filter { !$0.names.starts(with: path.names) }
      tree.foreign = tree.foreign.filter { !$0.key.names.starts(with: path.names) }
      tree.foreignFiles = tree.foreignFiles.filter { !$0.names.starts(with: path.names) }
      return .success(())
    }
  }

  /// Reports everything that is written below a folder from now on.
  public func changes(below folder: RemotePath) -> AsyncStream<Void>? {
    guard capabilities.contains(.watch) else { return nil }
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = tree.withLock { tree in
      let number = tree.nextWatcher
      tree.nextWatcher += 1
      tree.watchers[number] = (folder, continuation)
      return number
    }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  // Outside the lock, for what removing or telling a watcher sets off may come back to this remote.
  private func forget(_ watcher: UInt64) {
    let removed = tree.withLock { $0.watchers.removeValue(forKey: watcher) }
    withExtendedLifetime(removed) {}
  }

  private func tell(of path: RemotePath) {
    for watcher in tree.withLock({ Array($0.watchers.values) })
    where path.names.starts(with: watcher.folder.names) {
      watcher.told.yield()
    }
  }
}
