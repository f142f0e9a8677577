import ChangeTracking
import Crypto
import Foundation
import Locking
import ObjectStore
import SyncProtocol

/// A device that takes part in a document for the time of one repair: in a temporary folder, before storage that keeps to itself what
/// it writes. It is made of what every device is made of, so it can do nothing that a device could not.
struct RepairDevice {
  /// How people are told of it.
  static let name = "ticds-inspect repair"

  let reader: DocumentReader
  let storage: RehearsedStorage
  let scratch: ScratchFolder
  private let named: ManagedObjectModel?
  private let client: String
  private let clock: RehearsedClock

  /// Prepares a device; makes no request.
  ///
  /// - Parameters:
  ///   - reader: the document.
  ///   - model: the application's model; `nil` for that which a whole store keeps.
  ///   - hidden: what it is not to see of the remote.
  init(
    of reader: DocumentReader, model: ManagedObjectModel?, hiding hidden: some Sequence<RemotePath> = []
  ) throws {
    self.reader = reader
    scratch = try ScratchFolder.temporary()
    let folder = scratch.file("written")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    storage = RehearsedStorage(reader.application.backend, folder: folder, hiding: hidden)
    named = model
    client = "repair-\(UUID().uuidString.prefix(8).lowercased())"
    clock = RehearsedClock()
  }

  private var keys: KeyRing? { reader.application.keys.ring }

  private func application() throws -> ApplicationSyncManager {
    var configuration = try ApplicationConfiguration(
      application: reader.hierarchy.application.application.description, client: client,
      clientDescription: Self.name)
    // The storage behind tries again by itself.
    configuration.retries = .never
    configuration.now = { [clock] in clock.now }
    return ApplicationSyncManager(backend: storage, configuration: configuration)
  }

  private var path: String { scratch.file("store.sqlite") }

  private func manager(
    _ application: ApplicationSyncManager, _ model: ManagedObjectModel
  ) throws -> DocumentSyncManager {
    let store = try PersistentStore(model: model, path: path)
    return try DocumentSyncManager(
      application: application, document: reader.hierarchy.document.description,
      replica: store.newReplica(.init(client: client)))
  }

  // MARK: A whole store

  /// Merges all sets and makes the whole store that a device would upload.
  ///
  /// - Returns: its place on the remote and the file; `nil` if sets are missing, so that nobody could begin with it.
  func wholeStore() async throws -> (path: RemotePath, file: String)? {
    guard let named else { throw InspectionError.noState(Self.modelNeeded) }
    let application = try application()
    await application.resume(keys: keys)
    let manager = try manager(application, named)
    try await manager.register(mayCreate: false)
    var options = SyncOptions()
    (options.wholeStores, options.returning) = (nil, .never)
    let upload = try await manager.uploadStore(options)
    let report = upload.report
    guard report.blocked.isEmpty, upload.contents.total > 0 else { return nil }
    let place = reader.hierarchy.file(of: upload.name)
    guard case .file(let file)? = storage.changes[place] else { return nil }
    return (place, file)
  }

  // MARK: Everything that can be read

  /// What a device has made of all that can be read.
  struct Rebuilt {
    /// The author under whom everything was said again.
    let author: AuthorID
    /// Of each author, what the whole store contained that it began with.
    let begun: VersionVector
  }

  /// Days that pass between two looks: after thirty nobody waits for a set any more.
  private static let days: UInt64 = 31
  /// How often it looks at most. Two looks pass one hole of each author: whoever was away for so long looks once more.
  private static let looks = 1_024
  /// Looks in vain after which nothing more is to be had. Authors without news take turns.
  private static let vainLooks = 4

  /// Begins with the best whole store that opens, merges all that can be read, passing over what is missing as devices do after thirty
  /// days, says all of it again, and makes a whole store of it.
  func rebuild() async throws -> Rebuilt {
    let application = try application()
    try await application.register(keys.map { .keys($0) } ?? .none, mayCreate: false)
    let (begun, model) = try await begin(application)
    let manager = try manager(application, model)
    try await manager.register(mayCreate: false, after: begun)
    var options = SyncOptions()
    (options.wholeStores, options.returning) = (nil, .never)
    var (known, vain) = (VersionVector(), 0)
    for _ in 0..<Self.looks {
      try Task.checkCancellation()
      let report = try await manager.synchronize(options)
      let status = try await manager.status()
      let vector = status.replica.applied.reduce(into: VersionVector()) { $0[$1.author] = $1.sequence }
      vain = vector == known ? vain + 1 : 0
      known = vector
      if vain >= Self.vainLooks || report.blocked.isEmpty && vain > 0 { break }
      clock.advance(days: Self.days)
    }
    clock.reset()
    try await manager.refill(options)
    _ = try await manager.uploadStore(options)
    return Rebuilt(author: try await manager.status().replica.author, begun: begun.contents)
  }

  private func begin(
    _ application: ApplicationSyncManager
  ) async throws -> (BegunStore, ManagedObjectModel) {
    let document = try await application.document(reader.hierarchy.document.description)
    let begun = try await document.beginStore(at: path) { place in
      let store = try PersistentStore(model: model(keptIn: place), path: place)
      try store.requireTablesOfModel()
      return try store.newReplica(.init(client: client))
    }
    guard begun.store != nil else {
      guard let named else { throw InspectionError.noState(Self.modelNeeded) }
      return (begun, named)
    }
    return (begun, try model(keptIn: path))
  }

  private func model(keptIn store: String) throws -> ManagedObjectModel {
    if let named { return named }
    let found = try StoreFile(path: store)
    guard [.embedded, .cache].contains(found.modelOrigin) else {
      throw InspectionError.noState(Self.modelNeeded)
    }
    return found.model
  }

  static let modelNeeded =
    "no whole store that opens keeps the application's model, and sets alone do not tell it: name it with --model"
}

/// A clock that a rehearsal sets forward.
private final class RehearsedClock: Sendable {
  private let ahead = Locked(UInt64(0))

  var now: UInt64 {
    let ahead = ahead.withLock { $0 }
    return UInt64(max(0, Date.now.timeIntervalSince1970) * 1_000) + ahead
  }

  func advance(days: UInt64) { ahead.withLock { $0 += days * 24 * 60 * 60 * 1_000 } }

  func reset() { ahead.withLock { $0 = 0 } }
}
