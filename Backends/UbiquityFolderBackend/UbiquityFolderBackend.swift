import SyncProtocol

/// A remote that is a folder of a provider like iCloud Drive, which may keep the content of files elsewhere until somebody asks for it.
///
/// ```swift
/// let backend = UbiquityFolderBackend(
///   files: FileManagerBackend(folder: folder), container: PlaceholderContainer(folder: folder, request: request))
/// ```
/// A file is listed wherever its content is. Reading one asks the provider for the content and waits. If another account signs in, every
/// listing fails, for what lies there then is somebody else's.
public struct UbiquityFolderBackend: SyncBackend {
  private let files: any SyncBackend
  private let container: any UbiquityContainer
  private let expected: ContainerIdentity?
  private let patience: DownloadPatience
  private let names: NameGrammar
  private let stall = ProviderStall()

  /// Combines the files that are here with what the provider knows.
  ///
  /// - Parameters:
  ///   - files: the folder.
  ///   - container: the provider's view of the same folder.
  ///   - identity: the account and container that the application was registered with; any if `nil`.
  ///   - patience: how long to wait for content.
  ///   - names: which names are listed as ours, as in the folder.
  public init(
    files: any SyncBackend, container: any UbiquityContainer, identity: ContainerIdentity? = nil,
    patience: DownloadPatience = DownloadPatience(), names: NameGrammar = .portable
  ) {
    self.files = files
    self.container = container
    self.expected = identity
    self.patience = patience
    self.names = names
  }

  /// Those of the folder, but devices may create one name each before they hear of each other.
  public var capabilities: BackendCapabilities { files.capabilities.subtracting(.honestCreateIfAbsent) }

  /// Lists a folder with the files whose content is elsewhere.
  ///
  /// - Throws: also `unreachable` if nobody is signed in, and `unauthorised` if it is somebody else.
  public func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await checkIdentity(folder)
    // Otherwise a file whose content goes meanwhile may be seen neither as what it was nor as what it becomes.
    return try await container.coordinate(folder) { () async throws(BackendError) in
      do throws(BackendError) {
        return try await completed(try await files.list(folder), of: folder)
      } catch {
        throw try await explained(error, folder)
      }
    }
  }

  /// Lists a part of a folder with the files whose content is elsewhere.
  public func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    try await checkIdentity(folder)
    return try await container.coordinate(folder) { () async throws(BackendError) in
      var result: ListingPage
      do throws(BackendError) {
        result = try await files.list(folder, after: page)
      } catch {
        throw try await explained(error, folder)
      }
      result.listing = try await completed(result.listing, of: folder)
      return result
    }
  }

  /// What is not there as a folder may be there as a file.
  private func explained(_ error: BackendError, _ folder: RemotePath) async throws(BackendError)
    -> BackendError
  {
    guard error.code == .notFound, try await container.placeholder(at: folder) != nil else { return error }
    return BackendError(.notADirectory, path: folder)
  }

  private func checkIdentity(_ path: RemotePath) async throws(BackendError) {
    guard let identity = try await container.identity() else {
      throw BackendError(
        .unreachable, path: path, detail: "nobody is signed in",
        recovery: "Sign in to the cloud service again.")
    }
    guard expected == nil || expected == identity else {
      throw BackendError(
        .unauthorised, path: path, detail: "another account is signed in",
        recovery: "Sign in to the account that the documents were joined with, or join them anew.")
    }
  }

  /// A listing in which placeholders are the files that they stand for.
  private func completed(
    _ found: RemoteListing, of folder: RemotePath
  ) async throws(BackendError) -> RemoteListing {
    var listing = RemoteListing(entries: found.entries.map(unversioned))
    var seen = Set(found.entries.map(\.name))
    for name in found.foreign {
      guard let original = container.nameOfFile(behind: name) else {
        listing.foreign.append(name)
        continue
      }
      guard let ours = RemoteName(original, names) else {
        listing.foreign.append(original)
        continue
      }
      // For a moment a file is there twice, while its content comes or goes.
      if seen.insert(ours).inserted, let entry = try await container.placeholder(at: folder.appending(ours)) {
        listing.entries.append(entry)
      }
    }
    return listing
  }

  /// Content that goes and comes back is the same under another version of the file system's.
  private func unversioned(_ entry: RemoteEntry) -> RemoteEntry {
    var entry = entry
    entry.version = nil
    return entry
  }

  /// Examines an entry, wherever its content is.
  public func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    do throws(BackendError) {
      return unversioned(try await files.stat(path))
    } catch {
      guard error.code == .notFound, let entry = try await container.placeholder(at: path) else {
        throw error
      }
      return entry
    }
  }

  // MARK: Reading

  /// Reads a small file, for whose content the provider is asked if need be.
  public func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await present(path) { () async throws(BackendError) in try await files.download(path, limit: limit) }
  }

  /// Reads those small files whose content is here; that of the others is asked for when they are read by themselves.
  public func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    await files.downloadAtOnce(names, in: folder, limit: limit)
  }

  /// Copies a file to this device, after the provider has fetched it if need be.
  public func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await present(path) { () async throws(BackendError) in
      try await files.download(path, toFile: localPath, progress: progress)
    }
  }

  /// Reads a file as soon as its content is here.
  private func present<Result: Sendable>(
    _ path: RemotePath, _ read: @Sendable () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    var wait = patience.wait()
    let arrivals = stall.arrivals
    while true {
      do throws(BackendError) {
        let content = try await read()
        if wait.hasPaused { stall.noteArrival() }
        return content
      } catch {
        guard error.code == .notFound else { throw error }
        // It may have come between the two looks.
        guard try await container.placeholder(at: path) != nil else { return try await read() }
        try await container.requestDownload(of: path)
        var hasProgress = false
        guard !(wait.hasPaused && stall.isOn),
          let pause = wait.pause(progress: await container.progress(of: path), &hasProgress)
        else {
          stall.noteVain(since: arrivals, for: patience.limit)
          var failure = BackendError(
            .unreachable, path: path, detail: "the cloud service has not delivered its content",
            recovery: "Wait until the cloud service has caught up; the next sync continues.")
          failure.wasAwaited = true
          throw failure
        }
        if hasProgress { stall.noteArrival() }
        do { try await patience.sleep(pause) } catch { throw BackendError(.cancelled, path: path) }
      }
    }
  }

  // MARK: Writing

  /// Writes a small file, replacing one whose content may be elsewhere.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await replacing(path) { () async throws(BackendError) in try await files.upload(bytes, to: path) }
  }

  /// Copies a file from this device, replacing one whose content may be elsewhere.
  public func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await replacing(path) { () async throws(BackendError) in
      try await files.upload(file: localPath, to: path, progress: progress)
    }
  }

  private func replacing(
    _ path: RemotePath, _ write: @Sendable () async throws(BackendError) -> Void
  ) async throws(BackendError) {
    try await refuseBelowFiles(path)
    // Not while the provider is kept waiting, for this may take long. It does not bring old content over new, nor take new away for old.
    try await write()
    try await container.coordinate(path) { () async throws(BackendError) in
      guard try await container.placeholder(at: path) != nil else { return }
      do throws(BackendError) {
        _ = try await files.stat(path)
      } catch {
        // The placeholder stands for what was just written.
        if error.code == .notFound { return }
        throw error
      }
      try await container.removePlaceholder(at: path)
    }
  }

  /// Writes a small file unless the name is taken, be it by a file whose content is elsewhere.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await creating(path) { () async throws(BackendError) in
      try await files.createIfAbsent(bytes, at: path)
    }
  }

  /// Copies a file from this device unless the name is taken, be it by a file whose content is elsewhere.
  public func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await creating(path) { () async throws(BackendError) in
      try await files.createIfAbsent(file: localPath, at: path, progress: progress)
    }
  }

  private func creating(
    _ path: RemotePath, _ write: @Sendable () async throws(BackendError) -> Void
  ) async throws(BackendError) {
    try await refuseBelowFiles(path)
    // The provider waits, however long it takes: a file whose content it takes away between the look and the writing would not be seen.
    try await container.coordinate(path) { () async throws(BackendError) in
      try await refusePlaceholder(path)
      try await write()
    }
  }

  private func refusePlaceholder(_ path: RemotePath) async throws(BackendError) {
    if try await container.placeholder(at: path) != nil { throw BackendError(.alreadyExists, path: path) }
  }

  /// A file is no folder, also where its content is elsewhere.
  private func refuseBelowFiles(_ path: RemotePath) async throws(BackendError) {
    for length in 1..<max(1, path.names.count) {
      if try await container.placeholder(at: RemotePath(Array(path.names[..<length]))) != nil {
        throw BackendError(.notADirectory, path: path)
      }
    }
  }

  /// Makes a folder.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await container.coordinate(path) { () async throws(BackendError) in
      try await refuseBelowFiles(path)
      if try await container.placeholder(at: path) != nil { throw BackendError(.notADirectory, path: path) }
      try await files.makeDirectory(path)
    }
  }

  /// Renames a file or folder, after the provider has fetched its content if need be.
  public func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await refusePlaceholder(destination)
    try await present(source) { () async throws(BackendError) in
      try await container.coordinate(destination) { () async throws(BackendError) in
        try await refusePlaceholder(destination)
        try await files.move(source, to: destination)
      }
    }
  }

  /// Removes a file, wherever its content is, or a folder with everything in it.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    try await container.coordinate(path) { () async throws(BackendError) in
      let isElsewhere = try await container.placeholder(at: path) != nil
      do throws(BackendError) {
        try await files.remove(path)
      } catch {
        guard isElsewhere, error.code == .notFound else { throw error }
      }
      if isElsewhere { try await container.removePlaceholder(at: path) }
    }
  }

  /// What the folder reports.
  public func changes(below folder: RemotePath) -> AsyncStream<Void>? { files.changes(below: folder) }
}

/// Links lie in the folder itself; the provider knows nothing of them.
extension UbiquityFolderBackend: SymbolicLinkStorage {
  /// Where a link leads; `nil` if something else lies there, or nothing, or the folder has no links.
  public func targetOfLink(at path: RemotePath) async throws(BackendError) -> [UInt8]? {
    try await (files as? any SymbolicLinkStorage)?.targetOfLink(at: path)
  }

  /// Makes a link.
  public func makeLink(to target: [UInt8], at path: RemotePath) async throws(BackendError) {
    guard let links = files as? any SymbolicLinkStorage else { throw BackendError(.unsupported, path: path) }
    try await links.makeLink(to: target, at: path)
  }
}
