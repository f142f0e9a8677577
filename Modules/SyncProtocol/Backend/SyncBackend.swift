/// Storage that clients exchange files through: a folder, a WebDAV share, anything that keeps named bytes.
///
/// Conform one `Sendable` type and run the conformance suite (`BackendConformance`) on it. Everything else - retries,
/// counting, encryption, names, parallel transfers - is done above: the managers wrap what they are given.
///
/// Laws that a conformer keeps, and that the suite tests:
/// 1. A file that was completely written under a fresh name can be read back later, with the same bytes. Nothing more
///    is assumed of storage: a listing may lag behind, and another client may see files in another order.
/// 2. Absent, empty and unreadable are three answers: ``list(_:)`` throws `notFound` for a folder that does not exist,
///    returns an empty listing for one that holds nothing, and throws another error if it cannot tell.
/// 3. Where ``BackendCapabilities/atomicReplace`` is declared, a file that is still being written, or whose writing
///    failed, is not listed and cannot be downloaded; one that is being replaced shows what it held before.
/// 4. ``upload(_:to:)`` replaces an existing file; ``createIfAbsent(_:at:)`` and ``move(_:to:)`` never do.
/// 5. Files are only written into folders that exist: otherwise `notFound` is thrown. Where
///    ``BackendCapabilities/implicitFolders`` is declared, a file makes the folders that it needs, and a folder without entries
///    is absent.
/// 6. A cancelled task throws `cancelled`. A request that did not start then changes nothing; one that did may take
///    effect, but never by half. Only of a folder that is being removed a part may be gone: the same request again removes the
///    rest.
/// 7. All methods may be called from any task, several at a time, and by several clients of one storage. What one client
///    has written the others see, and it is still there when everybody has gone and come back.
/// 8. The root belongs to whoever set the storage up: it is never made, replaced, moved or removed. One that is not there
///    is `unreachable`, neither absent nor empty.
/// 9. Names are compared whole and literally: what is asked of one entry happens to no other whose name is alike.
public protocol SyncBackend: Sendable {
  /// What the storage does beyond the minimum.
  var capabilities: BackendCapabilities { get }

  /// What lies directly in a folder. One request.
  ///
  /// - Throws: ``BackendError``, with `notFound` if there is no such folder and `notADirectory` if it is a file.
  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing

  /// A part of what lies directly in a folder, for whoever will not hold all of it. One request.
  ///
  /// What lies there from the first page to the last is on one of them, and only one, whatever comes and goes meanwhile. A page
  /// may be asked for twice, for answers get lost.
  ///
  /// - Parameters:
  ///   - folder: as for ``list(_:)``.
  ///   - page: what the page before said comes next; `nil` for the first page.
  /// - Throws: ``BackendError`` as ``list(_:)`` does.
  func list(_ folder: RemotePath, after page: ListingPage.Token?) async throws(BackendError) -> ListingPage

  /// Kind and size of one entry. One request.
  ///
  /// - Throws: ``BackendError``, with `notFound` if there is no such entry and `isADirectory` for the root, which has no name.
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry

  /// The bytes of a small file. One request.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limit: greatest size in bytes. No more than this is ever held in memory.
  /// - Throws: ``BackendError``, with `notFound`, `isADirectory`, or `tooLarge` if the file exceeds the limit.
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8]

  /// Those of some small files of one folder that can be had without a request for each: a short cut for whoever reads thousands.
  ///
  /// What does not come, for whatever reason, is to be asked for by itself. A file that comes is the one that
  /// ``download(_:limit:)`` reads.
  ///
  /// - Parameters:
  ///   - names: the files, as many as may be in memory together.
  ///   - folder: where they lie.
  ///   - limit: greatest size in bytes of one of them.
  func downloadAtOnce(_ names: [RemoteName], in folder: RemotePath, limit: Int) async -> [RemoteName: [UInt8]]

  /// Copies a file of any size to this device, in constant memory. One request.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - localPath: replaced if it exists. After a failure it is left as it was.
  ///   - progress: told how far the transfer is.
  /// - Throws: ``BackendError``, with `localFile` if it is this device that fails.
  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError)

  /// Writes a small file, replacing one that exists.
  ///
  /// - Throws: ``BackendError``, with `notFound` if the folder does not exist and `quotaExceeded` if it is full.
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError)

  /// Copies a file of any size from this device, in constant memory, replacing one that exists.
  ///
  /// - Throws: ``BackendError``, with `localFile` if it is this device that fails.
  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError)

  /// Writes a small file unless the name is taken. Storage without
  /// ``BackendCapabilities/honestCreateIfAbsent`` may let two clients succeed at once.
  ///
  /// - Throws: ``BackendError``, with `alreadyExists` if the name is taken; the existing file is left alone.
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError)

  /// Copies a file of any size from this device, in constant memory, unless the name is taken. It is the moment at which
  /// the file gets its name that decides.
  ///
  /// - Throws: ``BackendError``, with `alreadyExists` if the name is taken and `localFile` if it is this device that fails.
  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError)

  /// Makes a folder and the folders above it, as far as they are missing. An existing folder is no error.
  ///
  /// The root itself is never made: a folder that is not mounted must not be mistaken for an empty one.
  ///
  /// - Throws: ``BackendError``, with `notADirectory` if a file is in the way.
  func makeDirectory(_ path: RemotePath) async throws(BackendError)

  /// Renames a file or folder. A folder never goes into itself, and the name of what is moved is taken, too.
  ///
  /// - Throws: ``BackendError``, with `notFound` if the source or the destination's folder does not exist,
  ///   `alreadyExists` if the destination does, and `unsupported` from storage without ``BackendCapabilities/move``.
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError)

  /// Removes a file, or a folder with everything in it.
  ///
  /// A removal of a folder that fails or is cancelled may have removed a part of it; another one completes it.
  ///
  /// - Throws: ``BackendError``, with `notFound` if there is no such entry and `isADirectory` for the root.
  func remove(_ path: RemotePath) async throws(BackendError)

  /// Yields when something may have changed below a folder; `nil` if the storage cannot (see
  /// ``BackendCapabilities/watch``). Elements carry no information, and several changes may give one element.
  ///
  /// What is written after this returns is told. The stream ends when the folder can no longer be watched; ask again once
  /// a request has succeeded.
  func changes(below folder: RemotePath) -> AsyncStream<Void>?
}

extension SyncBackend {
  /// Copies a file of any size to this device, telling nobody how far it is.
  public func download(_ path: RemotePath, toFile localPath: String) async throws(BackendError) {
    try await download(path, toFile: localPath) { _ in }
  }

  /// Copies a file of any size from this device, telling nobody how far it is.
  public func upload(file localPath: String, to path: RemotePath) async throws(BackendError) {
    try await upload(file: localPath, to: path) { _ in }
  }

  /// Copies a file of any size from this device unless the name is taken, telling nobody how far it is.
  public func createIfAbsent(file localPath: String, at path: RemotePath) async throws(BackendError) {
    try await createIfAbsent(file: localPath, at: path) { _ in }
  }

  /// The whole listing as one page, which is all that storage without pages can do.
  public func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    ListingPage(try await list(folder))
  }

  /// Nothing: storage that takes a request for each file has no short cut.
  public func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] { [:] }

  /// No notification.
  public func changes(below folder: RemotePath) -> AsyncStream<Void>? { nil }
}
