import SyncProtocol

/// A remote that is a folder: of a replicator such as Dropbox or Syncthing, on a network drive, on a USB stick.
///
/// Files appear under their names only when they are complete and on disk: they are written under a hidden name in
/// the same folder, flushed, and renamed or linked. Folders are opened one below the other and symbolic links are not
/// followed, so nothing outside the folder is ever touched. The calls block on a queue of their own, never on a thread
/// of Swift's pool. Safe to use from any task.
public struct FileManagerBackend: SyncBackend {
  let root: Root
  private let names: NameGrammar
  private let removesAbandoned: Bool
  private let mark: WriterMark?
  private let runner = BlockingRunner(label: "FileManagerBackend")

  /// Uses a folder, which must exist when the first request is made. It is never created: a folder that is not mounted
  /// must not be mistaken for an empty one.
  ///
  /// - Parameters:
  ///   - folder: path on this device, absolute or relative to the current directory.
  ///   - names: which names are listed as ours; `classic` for a remote of the classic system.
  ///   - removesAbandoned: whether a listing removes what writers that crashed left behind; `false` for who only looks.
  ///   - mark: what unfinished files bear, for who removes his own with ``removeUnfinished(in:)`` after he was killed.
  public init(
    folder: String, names: NameGrammar = .portable, removesAbandoned: Bool = true, mark: WriterMark? = nil
  ) {
    self.mark = mark
    root = Root(folder)
    self.names = names
    self.removesAbandoned = removesAbandoned
  }

  /// The folder, as given.
  public var folder: String { root.path }

  /// Renames are atomic, the file system decides who creates a name, and the system tells of changes.
  ///
  /// Of file systems for which that is not so, exFAT for one, nothing tells; nothing of ours is ever replaced by other content. The
  /// system tells of what it does itself, be it through a replicator; of what other devices write to a network drive it does
  /// not know.
  public var capabilities: BackendCapabilities {
    [.atomicReplace, .honestCreateIfAbsent, .move, .watch]
  }

  func run<Result: Sendable>(
    _ path: RemotePath, _ work: @escaping @Sendable (CancellationFlag) throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let root = root
    return try await runner.run(path) { (cancellation) throws(BackendError) in
      do throws(BackendError) { return try work(cancellation) } catch { throw root.explain(error) }
    }
  }

  /// Lists one folder. Names outside the grammar, conflict copies of replicators (``ConflictCopy``), symbolic links and
  /// devices are reported as foreign, each once.
  ///
  /// What writers that crashed more than a day ago left behind under hidden names is removed on the way, unless the back end was made to
  /// look only.
  public func list(_ path: RemotePath) async throws(BackendError) -> RemoteListing {
    try await run(path) { (cancellation) throws(BackendError) in
      try Folder.open(path, below: root).list(path, names, removesAbandoned: removesAbandoned, cancellation)
    }
  }

  /// Examines one entry.
  public func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await run(path) { (_) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      return try place.folder.entry(place.name, path)
    }
  }

  /// Reads a small file.
  public func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await run(path) { (_) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      return try place.folder.openFile(place.name, path).read(limit: limit, path)
    }
  }

  /// Reads small files on one thread, with the folder opened once: that is most of what reading a small file takes.
  public func downloadAtOnce(
    _ names: [RemoteName], in path: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let found = try? await run(path) { (cancellation) throws(BackendError) in
      let folder = try Folder.open(path, below: root)
      var found: [RemoteName: [UInt8]] = [:]
      for name in names {
        try cancellation.check(path)
        let place = path.appending(name)
        do throws(BackendError) {
          found[name] = try folder.openFile(name, place).read(limit: limit, place)
        } catch {
          // Asked for by itself, it says what is wrong with it.
          continue
        }
      }
      return found
    }
    return found ?? [:]
  }

  /// Copies a file to this device; it appears there when it is complete.
  public func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await run(path) { (cancellation) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      let source = try place.folder.openFile(place.name, path)
      try LocalCopy.write(to: localPath, path) { (target) throws(BackendError) in
        try source.copy(
          to: target, cancellation, path, reading: .remote(path), writing: .local(path, localPath),
          progress: progress)
      }
    }
  }

  /// Writes a small file.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await run(path) { (_) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      try place.folder.publish(place.name, path, replacing: true, mark: mark) { (file) throws(BackendError) in
        try file.write(bytes, .remote(path))
      }
    }
  }

  /// Copies a file from this device.
  public func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await copy(localPath, to: path, replacing: true, progress)
  }

  /// Copies a file from this device unless the name is taken, which the file system decides when the copy is complete.
  public func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await copy(localPath, to: path, replacing: false, progress)
  }

  private func copy(
    _ localPath: String, to path: RemotePath, replacing: Bool, _ progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await run(path) { (cancellation) throws(BackendError) in
      let source = try LocalCopy.open(localPath, path)
      let place = try Folder.openParent(of: path, below: root)
      try place.folder.publish(place.name, path, replacing: replacing, mark: mark) {
        (target) throws(BackendError) in
        try source.copy(
          to: target, cancellation, path, reading: .local(path, localPath), writing: .remote(path),
          progress: progress)
      }
    }
  }

  /// Writes a small file unless the name is taken, which the file system decides.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await run(path) { (_) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      try place.folder.publish(place.name, path, replacing: false, mark: mark) {
        (file) throws(BackendError) in
        try file.write(bytes, .remote(path))
      }
    }
  }

  /// Makes a folder and those above it.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await run(path) { (_) throws(BackendError) in try Folder.make(path, below: root) }
  }

  /// Renames a file or folder without replacing anything.
  public func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await run(source) { (_) throws(BackendError) in
      let from = try Folder.openParent(of: source, below: root)
      let to = try Folder.openParent(of: destination, below: root)
      try from.folder.renameExclusively(
        from.name.description, source, to: to.folder, to.name.description, destination)
      try to.folder.flush(destination)
      try from.folder.flush(source)
    }
  }

  /// Removes a file, or a folder with everything in it, one entry after the other: of a removal that fails or is cancelled, what was
  /// not removed yet stays as it was, but for what is nested more than 32 folders deep, which may lie higher then.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    try await run(path) { (cancellation) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      try place.folder.remove(RawName(place.name), path, cancellation)
      try place.folder.flush(path)
    }
  }

  /// Removes what a writer with the same mark left in a folder when he was killed. Nobody with that mark may be writing.
  ///
  /// - Throws: `BackendError`; a folder that is not there holds nothing.
  public func removeUnfinished(in path: RemotePath) async throws(BackendError) {
    guard let mark else { return }
    do throws(BackendError) {
      try await run(path) { (cancellation) throws(BackendError) in
        let folder = try Folder.open(path, below: root)
        for name in try folder.names(path) where TemporaryName.matches(name.text, mark) {
          try folder.remove(name, path, cancellation)
        }
      }
    } catch {
      if error.code != .notFound, error.code != .notADirectory { throw error }
    }
  }

  /// Reports what is written below a folder, including what this back end writes itself.
  ///
  /// The stream ends when the folder goes away, and at once if it is not there. Of trees with more than 4,096 folders only
  /// that many are watched.
  public func changes(below folder: RemotePath) -> AsyncStream<Void>? {
    SystemWatcher.changes(below: folder, of: root, names, whenClosed: {})
  }
}
