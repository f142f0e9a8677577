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
  }

  private let tree = Locked(Tree())

  /// What this remote does beyond the minimum.
  public let capabilities: BackendCapabilities

  /// An empty remote.
  public init(capabilities: BackendCapabilities = [.atomicReplace, .honestCreateIfAbsent, .move]) {
    self.capabilities = capabilities
  }

  /// Every file with its content.
  public var files: [RemotePath: [UInt8]] { tree.withLock { $0.files } }

  /// Every file and folder in order, one per line: folders end with a slash.
  public var snapshot: String {
    tree.withLock { tree in
      let folders = tree.folders.subtracting([.root]).map { "\($0)/" }
      return (folders + tree.files.keys.map(\.description)).sorted().joined(separator: "\n")
    }
  }

  /// Makes a file late: as if the storage had not delivered it yet.
  public func hide(_ path: RemotePath) { _ = tree.withLock { $0.hidden.insert(path) } }

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
  public func addForeign(_ name: String, to folder: RemotePath) {
    tree.withLock { $0.foreign[folder, default: []].append(name) }
  }

  /// Goes back to the files and folders of an earlier copy, as a restored server does.
  public func restore(_ other: MemoryBackend) {
    let copy = other.tree.withLock { $0 }
    tree.withLock { $0 = copy }
  }

  /// Takes over what another remote has and this one has not, as two copies of a folder do when they meet again.
  public func meet(_ other: MemoryBackend) {
    let copy = other.tree.withLock { $0 }
    tree.withLock { tree in
      tree.files.merge(copy.files) { own, _ in own }
      tree.folders.formUnion(copy.folders)
    }
  }

  /// An independent remote with the same content.
  public func copy() -> MemoryBackend {
    let copy = MemoryBackend(capabilities: capabilities)
    copy.restore(self)
    return copy
  }

  private func access<Result: Sendable>(
    _ path: RemotePath, _ body: (inout Tree) -> Outcome<Result>
  ) throws(BackendError) -> Result {
    if Task.isCancelled { throw BackendError(.cancelled, path: path) }
    switch tree.withLock({ body(&$0) }) {
    case .success(let result): return result
    case .failure(let code): throw BackendError(code, path: path)
    }
  }

  private enum Outcome<Result: Sendable>: Sendable {
    case success(Result)
    case failure(BackendError.Code)
  }

  /// Lists a folder.
  public func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try access(folder) { tree in
      if tree.files[folder] != nil { return .failure(.notADirectory) }
      guard tree.folders.contains(folder) else { return .failure(.notFound) }
      var listing = RemoteListing(foreign: tree.foreign[folder] ?? [])
      for (path, bytes) in tree.files where path.parent == folder && !tree.hidden.contains(path) {
        if let name = path.name {
          listing.entries.append(RemoteEntry(name: name, kind: .file, size: Int64(bytes.count)))
        }
      }
      for path in tree.folders where path.parent == folder {
        if let name = path.name { listing.entries.append(RemoteEntry(name: name, kind: .folder)) }
      }
      return .success(listing)
    }
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

  /// Copies a file to this device.
  public func download(_ path: RemotePath, toFile localPath: String) async throws(BackendError) {
    let bytes = try await download(path, limit: .max)
    do { try LocalBytes.write(bytes, to: localPath) } catch { throw BackendError(.localFile, path: path) }
  }

  /// Writes a file.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try write(bytes, to: path, replacing: true)
  }

  /// Copies a file from this device.
  public func upload(file localPath: String, to path: RemotePath) async throws(BackendError) {
    let bytes: [UInt8]
    do { bytes = try LocalBytes.read(localPath) } catch { throw BackendError(.localFile, path: path) }
    try write(bytes, to: path, replacing: true)
  }

  /// Writes a file unless the name is taken.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try write(bytes, to: path, replacing: false)
  }

  private func write(_ bytes: [UInt8], to path: RemotePath, replacing: Bool) throws(BackendError) {
    try access(path) { tree -> Outcome<Void> in
      guard let parent = path.parent else { return .failure(.isADirectory) }
      guard tree.folders.contains(parent) else { return .failure(.notFound) }
      if tree.folders.contains(path) { return .failure(replacing ? .isADirectory : .alreadyExists) }
      if !replacing && tree.files[path] != nil { return .failure(.alreadyExists) }
      tree.files[path] = bytes
      return .success(())
    }
  }

  /// Makes a folder and those above it.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try access(path) { tree -> Outcome<Void> in
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
    try access(source) { tree -> Outcome<Void> in
      guard tree.files[source] != nil || tree.folders.contains(source), let parent = destination.parent,
        tree.folders.contains(parent)
      else { return .failure(.notFound) }
      guard tree.files[destination] == nil, !tree.folders.contains(destination) else {
        return .failure(.alreadyExists)
      }
      func moved(_ path: RemotePath) -> RemotePath {
        guard path.names.starts(with: source.names) else { return path }
        return RemotePath(destination.names + path.names.dropFirst(source.names.count))
      }
      tree.files = Dictionary(uniqueKeysWithValues: tree.files.map { (moved($0.key), $0.value) })
      tree.folders = Set(tree.folders.map(moved))
      return .success(())
    }
  }

  /// Removes a file, or a folder with everything in it.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    try access(path) { tree -> Outcome<Void> in
      guard tree.files[path] != nil || tree.folders.contains(path) else { return .failure(.notFound) }
      tree.files = tree.files.filter { !$0.key.names.starts(with: path.names) }
      tree.folders = tree.folders.filter { !$0.names.starts(with: path.names) || $0 == .root }
      return .success(())
    }
  }
}
