import TICDSHTTP
import SyncProtocol

/// Stores files in a folder of a WebDAV server.
///
/// Nothing that servers promise and do not keep is relied upon: no ETag, no date, no condition. A server that is known
/// (``ServerTraits``, found out by ``probe()``) is asked with fewer requests. Capabilities follow from what is known:
/// `atomicReplace` needs a server that writes atomically; `honestCreateIfAbsent` is never declared, because no request of WebDAV
/// is decided in one step on all servers (several check the name first and rename then).
///
/// One client has one thread and a few connections, whatever the number of requests; see `HTTPClient`. Requests may be made
/// from any task. Do not retry; wrap with `RetryingBackend`.
public final class WebDAVBackend: SyncBackend {
  /// Up to here a file is written with one conditional request where the server honours that.
  private static let smallSize: Int64 = 256 << 10
  private static let resumptionLimit = 5
  /// What must have come of a file for it to go on after the server has stopped in the middle.
  private static let resumptionSize: Int64 = 1 << 20
  private let abandoned = AbandonedFiles()
  private let refused = RefusedFolders()
  let session: WebDAVSession
  /// What is known of the server.
  public let traits: ServerTraits

  /// Uses a folder, which must exist.
  ///
  /// - Parameters:
  ///   - address: the folder.
  ///   - credentials: told to the server at `address` and to no other.
  ///   - configuration: whom to trust, how long to wait, and so on.
  ///   - traits: what is known of the server.
  public init(
    _ address: HTTPAddress, credentials: Credentials = .none,
    configuration: HTTPConfiguration = HTTPConfiguration(), traits: ServerTraits = .unknown
  ) {
    session = WebDAVSession(
      HTTPClient(configuration, credentials: credentials, home: address), address)
    self.traits = traits
  }

  init(_ session: WebDAVSession, traits: ServerTraits) {
    self.session = session
    self.traits = traits
  }

  /// What the server does, as far as is known.
  public var capabilities: BackendCapabilities {
    var capabilities: BackendCapabilities = []
    if traits.writesAtomically { capabilities.insert(.atomicReplace) }
    if traits.moves { capabilities.insert(.move) }
    return capabilities
  }

  // MARK: - Looking

  /// One PROPFIND of depth 1, for kind, size and date, and for the ETag where it is honest.
  public func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await content(of: folder).content.listing
  }

  /// All entries as one page, where there are not more than 50,000. Of a folder with more, that many: WebDAV has no pages, so the
  /// others cannot be asked for.
  public func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    guard page == nil else {
      throw Failure(.tooLarge, "the list of entries is too long", .emptyFolder).error(at: folder)
    }
    let found = try await content(of: folder, isPage: true)
    return ListingPage(found.content.listing, next: found.isCut ? ListingPage.Token("more") : nil)
  }

  func content(
    of folder: RemotePath, isPage: Bool = false
  ) async throws(BackendError) -> (content: FolderContent, isCut: Bool) {
    do throws(Failure) {
      let found = try await session.find(
        Target(folder, isFolder: true), depth: 1, versions: traits.tellsVersions, isPage: isPage)
      do {
        let content = try FolderContent(
          found.responses, in: found.address, now: found.now, trustsETags: traits.tellsVersions)
        abandoned.note(content.abandoned, in: folder)
        return (content, found.isCut)
      } catch {
        // What it does not hold may be in what was not read. Asked again, it would be as long.
        if found.isCut, case .damaged = error {
          throw Failure(
            .tooLarge, "the list of entries is too long, and does not begin with the folder", .emptyFolder)
        }
        throw Failure(error)
      }
    } catch {
      throw await whyNotListed(error, folder)
    }
  }

  /// Servers say many things of a file that is asked for as a folder.
  private func whyNotListed(_ failure: Failure, _ folder: RemotePath) async -> BackendError {
    let isClear = !DAVReply.ambiguousCodes.contains(failure.code)
    guard !isClear, folder != .root else {
      return failure.code == .notFound
        ? await session.reason(of: failure, at: folder) : failure.error(at: folder)
    }
    do throws(Failure) {
      let kind = try await session.look(folder).kind
      return kind == .file
        ? BackendError(.notADirectory, path: folder) : failure.error(at: folder)
    } catch {
      return error.code == .notFound
        ? await session.reason(of: error, at: folder) : error.error(at: folder)
    }
  }

  /// One PROPFIND of depth 0.
  public func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    guard path != .root else {
      _ = try await content(of: .root)
      throw BackendError(.isADirectory, path: path)
    }
    do throws(Failure) {
      return try await session.look(path, versions: traits.tellsVersions)
    } catch {
      throw error.code == .notFound ? await session.reason(of: error, at: path) : error.error(at: path)
    }
  }

  // MARK: - Reading

  /// One GET; another one, and a PROPFIND, if the answer is a page, or takes long and either does not say how long it is or says much.
  public func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    guard path != .root else { throw BackendError(.isADirectory, path: path) }
    let receiver = BytesReceiver(limit: limit, expected: nil)
    let wasTooSlow: Bool
    do throws(Failure) {
      try await get(path, receiver, expected: nil)
      return receiver.take()
    } catch {
      guard receiver.isPage || error.wasTooSlow else { throw await whyNotRead(error, path) }
      wasTooSlow = error.wasTooSlow
    }
    let size = try await file(path, afterSlowness: wasTooSlow).size
    let again = BytesReceiver(limit: limit, expected: size)
    do throws(Failure) {
      try await get(path, again, expected: size)
    } catch {
      throw await whyNotRead(wasTooSlow ? error.afterSlowness : error, path)
    }
    let bytes = again.take()
    guard size == Int64(bytes.count) else {
      let what = receiver.isPage ? "a page" : "something of another length"
      throw Failure(.damaged, "\(what) came in place of the file", .expectAnswer).error(at: path)
    }
    return bytes
  }

  /// A GET; more of them if the connection breaks in between and the server's ETag is strong.
  public func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    guard path != .root else { throw BackendError(.isADirectory, path: path) }
    let receiver = FileReceiver(localPath, expected: nil, progress: progress)
    defer { receiver.discard() }
    let wasTooSlow: Bool
    do throws(Failure) {
      try await fetch(path, receiver)
      return
    } catch {
      guard receiver.doubt != nil || error.wasTooSlow else { throw await whyNotRead(error, path) }
      wasTooSlow = error.wasTooSlow
    }
    let entry = try await file(path, afterSlowness: wasTooSlow)
    let again = FileReceiver(localPath, expected: entry, progress: progress)
    defer { again.discard() }
    do throws(Failure) {
      try await fetch(path, again)
    } catch {
      throw await whyNotRead(wasTooSlow ? error.afterSlowness : error, path)
    }
  }

  private func fetch(_ path: RemotePath, _ receiver: FileReceiver) async throws(Failure) {
    var fields: [(name: String, value: String)] = []
    for attempt in 1... {
      let before = receiver.count
      do throws(Failure) {
        try await get(path, receiver, fields, expected: receiver.expectedSize)
        do { try receiver.finish() } catch { throw Failure(error) }
        return
      } catch {
        guard error.code == .unreachable || error.code == .damaged, attempt <= Self.resumptionLimit,
          receiver.count - before > (error.timedOut ? Self.resumptionSize : 0),
          let resumption = receiver.resumption
        else { throw error }
        fields = resumption
      }
    }
  }

  /// - Parameter expected: how long the file is by a listing, if it has been asked for.
  private func get(
    _ path: RemotePath, _ receiver: some BodyReceiver, _ fields: [(name: String, value: String)] = [],
    expected: Int64?
  ) async throws(Failure) {
    let fields = [("Accept-Encoding", "identity"), ("Cache-Control", "no-cache")] + fields
    let response: HTTPResponse
    do {
      response = try await session.send("GET", Target(path), fields: fields, receiver: receiver) {
        $0.expectedLength = expected ?? 0
        $0.doubtsLength = expected == nil
      }
    } catch {
      throw Failure(error)
    }
    if let failure = DAVReply(response.head).failure { throw failure.withoutFile(needsRoom: false) }
  }

  /// What a listing says of a file whose transfer gives reason to doubt that it is one.
  ///
  /// - Parameter wasTooSlow: whether that is that it came too slowly; then asking again and again helps nobody.
  private func file(
    _ path: RemotePath, afterSlowness wasTooSlow: Bool
  ) async throws(BackendError) -> RemoteEntry {
    let entry = try await stat(path)
    guard entry.kind == .file else { throw BackendError(.isADirectory, path: path) }
    guard entry.size != nil else {
      let failure = Failure(.damaged, "the server does not say how long the file is", .expectAnswer)
      throw (wasTooSlow ? failure.afterSlowness : failure).error(at: path)
    }
    return entry
  }

  private func whyNotRead(_ failure: Failure, _ path: RemotePath) async -> BackendError {
    guard DAVReply.ambiguousCodes.contains(failure.code) else { return failure.error(at: path) }
    return await session.reason(of: failure, at: path)
  }

  // MARK: - Writing

  /// One PUT where the server writes atomically, else a PUT and a MOVE.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await write(path, replacing: true, .bytes(bytes), Int64(bytes.count)) { _ in }
  }

  /// The same, from a file.
  public func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await write(path, replacing: true, .file(localPath), try LocalFile.size(localPath, path), progress)
  }

  /// One conditional PUT where the server is known to honour that, else a PUT and a MOVE that must not overwrite.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await write(path, replacing: false, .bytes(bytes), Int64(bytes.count)) { _ in }
  }

  /// The same, from a file; the name is decided upon when the file is complete.
  public func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await write(path, replacing: false, .file(localPath), try LocalFile.size(localPath, path), progress)
  }

  private func write(
    _ path: RemotePath, replacing: Bool, _ body: HTTPRequest.Body, _ size: Int64,
    _ progress: @escaping TransferProgress
  ) async throws(BackendError) {
    let steps = ProgressSteps(progress)
    try await session.run(
      WriteOperation(
        path, replacing: replacing, isSmall: size <= Self.smallSize, isEmpty: size == 0, traits: traits),
      body: body, progress: { steps.report($0) })
    progress(size)
    for target in abandoned.take() { _ = await session.perform(.delete(target)) }
  }

  // MARK: - Folders and names

  /// One MKCOL, and one more for each folder above that is missing.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    // Of several clients that make one folder at once, rclone refuses the slower ones with 423 before it is there.
    var repetitions = refused.contains(path) ? 0 : 2
    while true {
      do throws(BackendError) {
        try await session.run(MakeFolderOperation(path, traits: traits))
        return refused.forget(path)
      } catch {
        guard error.code == .locked, error.retryAfter == nil else { throw error }
        guard repetitions > 0 else {
          refused.note(path)
          throw error
        }
        repetitions -= 1
      }
    }
  }

  /// A PROPFIND and a MOVE that must not overwrite.
  public func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await session.run(MoveOperation(source, to: destination, traits: traits))
  }

  /// One DELETE.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    try await session.run(RemoveOperation(path))
  }
}

extension DAVReply {
  /// What servers mean several things by.
  static let ambiguousCodes: Set<BackendError.Code> = [
    .notFound, .forbidden, .unsupported, .failed, .alreadyExists, .damaged,
  ]
}
