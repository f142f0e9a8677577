import ChangeTracking
import Crypto

/// A document on a remote, to be looked at, or deleted: the newest of its name, or the one that a store belongs to
/// (``DocumentSyncManager/remoteDocument()``).
///
/// ```swift
/// for document in try await application.documents() {
///   print(try await document.information().description, try await document.devices().map(\.name))
/// }
/// ```
/// A value that may be used from anywhere. What it tells is what lies there when it is asked.
public struct RemoteDocument: Sendable {
  /// Where the document lies.
  public let hierarchy: DocumentHierarchy
  let backend: any SyncBackend
  let configuration: ApplicationConfiguration
  let keys: KeyRing?
  /// The foundings of the store that it was asked for, its own first; none if it was asked for by its name.
  package var foundings: [IntegrityKey] = []

  /// The document's identifier.
  public var identifier: String { hierarchy.document.description }

  /// A device that takes part in a document.
  public struct Device: Hashable, Sendable {
    /// The author of its newest sets.
    public var author: AuthorID
    /// Identifier of its client; `nil` where its head cannot be read.
    public var client: String?
    /// What a person calls it; `nil` where its head cannot be read.
    public var name: String?
    /// Its last set.
    public var pushed: UInt64
    /// Sets of others that it has merged.
    public var seen: UInt64
    /// When it wrote its head, in milliseconds since 1970 by its own clock; `nil` where its head cannot be read.
    public var lastSeen: UInt64?
    /// What its head says that it has merged of each author; `nil` where its head cannot be read.
    var vector: VersionVector?
    /// Whether somebody has removed it from the document.
    public var isRemoved = false
    /// Who removed it, and when; `nil` if it was not removed, or that cannot be read.
    public var removal: RemovalInformation?
  }

  /// A set of changes as it lies there.
  public struct SetReference: Hashable, Sendable {
    /// Who wrote it.
    public var author: AuthorID
    /// Its number and hash.
    public var set: SetName
  }

  /// What the document says of itself.
  ///
  /// - Throws: ``SyncError`` with `documentNotFound`, `keyMissing`, `damaged` or `storage`.
  public func information() async throws(SyncError) -> DocumentInformation {
    try await wrapping {
      let protection = try await protection()
      let path = hierarchy.information
      do {
        let bytes = try await backend.download(path, limit: InformationFile.sizeLimit * 2)
        return try DocumentInformation(try protection.open(bytes, as: .information))
      } catch let error as BackendError where error.code != .notFound {
        throw error
      } catch {
        throw SyncError.damaged(path, error)
      }
    }
  }

  /// The devices that take part, by the newest head of each, in the order of their authors.
  ///
  /// A head that cannot be read leaves a device without a name; it stops nothing. A request for each device, another for each that was renamed or removed, and two more.
  /// - Throws: ``SyncError`` with `documentNotFound`, `keyMissing` or `storage`.
  public func devices() async throws(SyncError) -> [Device] {
    try await wrapping {
      let protection = try await protection()
      let transfer = HeadTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
      let listing = try await transfer.genuine()
      let newest = listing.authors.compactMap { listing.newest(of: $0) }
      let removals = Dictionary(
        listing.removals.map { ($0.author, $0) }, uniquingKeysWith: { first, _ in first })
      return try await concurrently(newest, limit: SetTransfer.parallelism) { name in
        let head: Head?
        do {
          head = try await transfer.read(name)
        } catch let error as BackendError where !error.isAboutOneFile {
          throw error
        } catch {
          head = nil
        }
        var device = Device(
          author: name.author, client: head?.client,
          name: head.map { DeviceName.shown($0.clientDescription) }, pushed: name.sequence,
          seen: name.seen, lastSeen: head?.time, vector: head?.vector)
        if let renamed = listing.renamings[name.author]?.last, let now = try await transfer.read(renamed) {
          device.name = DeviceName.shown(now)
        }
        if let removal = removals[name.author] {
          device.isRemoved = true
          device.removal = try await transfer.read(removal).flatMap { try? transfer.information(removal, $0) }
        }
        return device
      }
    }
  }

  /// The sets of an author that lie there, in order.
  ///
  /// - Throws: ``SyncError`` with `documentNotFound`, `keyMissing` or `storage`.
  public func sets(by author: AuthorID) async throws(SyncError) -> [SetReference] {
    try await wrapping {
      let transfer = SetTransfer(backend: backend, hierarchy: hierarchy, protection: try await protection())
      switch try await transfer.list(author) {
      case .success(let sets): return sets.map { SetReference(author: author, set: $0) }
      case .failure(let failure):
        throw SyncError(
          .damaged, subject: "“\(hierarchy.changes(of: author))” on the remote", "\(failure.obstacle).",
          recovery: "Look at the remote with ticds-inspect.")
      }
    }
  }

  /// The changes of a set, verified: what its author wrote, or nothing.
  ///
  /// - Throws: ``SyncError`` with `documentNotFound`, `keyMissing`, `damaged` or `storage`.
  public func changes(in reference: SetReference) async throws(SyncError) -> ChangeSet {
    try await wrapping {
      let transfer = SetTransfer(backend: backend, hierarchy: hierarchy, protection: try await protection())
      let asked = SetTransfer.Reference(author: reference.author, set: reference.set)
      switch try await transfer.fetch([asked]).first {
      case .received(let received)?: return received.set
      case .obstacle(let obstacle)?:
        throw SyncError(
          .damaged, subject: "“\(hierarchy.file(of: reference.set, by: reference.author))” on the remote",
          "The set cannot be read: \(obstacle).", recovery: "Look at the remote with ticds-inspect.")
      case nil: throw CancellationError()
      }
    }
  }

  // MARK: Opening

  /// How the document's files are protected: for all its foundings that the keys at hand open.
  func protection() async throws -> DocumentProtection { try await opened().protection }

  /// How the document's files are protected, with what was read to know it.
  func opened() async throws -> (protection: DocumentProtection, view: DocumentFounding.View) {
    let founding = try founding()
    let look = try await founding.look()
    if let own = foundings.first {
      try await requireFoundings(look, own)
      let protection = try DocumentProtection(
        keys: keys, hierarchy: hierarchy, own: own,
        others: Array(Set(foundings).union(look.united(with: own))).sorted(), secrets: configuration.secrets)
      return (protection, DocumentFounding.View(look: look, records: []))
    }
    if look.isUndecided { throw SyncError.crowded(hierarchy, count: look.crowd ?? 0) }
    let records = try await founding.records(look)
    let newest = records.max { ($0.content?.time ?? 0) < ($1.content?.time ?? 0) }
    // A record that is damaged serves as well: its name has all that is needed.
    guard let own = newest?.name.integrityKey ?? look.genuine.first?.integrityKey else {
      throw notFound(look)
    }
    let protection = try DocumentProtection(
      keys: keys, hierarchy: hierarchy, own: own, others: look.united(with: own),
      secrets: configuration.secrets)
    return (protection, DocumentFounding.View(look: look, records: records))
  }

  private func requireFoundings(_ look: DocumentFounding.Look, _ own: IntegrityKey) async throws {
    if look.deleted.contains(where: { $0.founding == own }) {
      let deletion = try DocumentDeletion(backend: backend, hierarchy: hierarchy, keys: keys)
      if let found = try await deletion.find(own) {
        throw SyncError.deleted(found, hierarchy, isEncrypted: keys != nil)
      }
    }
    guard !foundings.contains(where: look.contains) else { return }
    throw look.genuine.isEmpty ? notFound(look) : SyncError.replaced(hierarchy)
  }

  func founding() throws(CryptoError) -> DocumentFounding {
    try DocumentFounding(
      backend: backend, hierarchy: hierarchy, configuration: configuration, keys: keys,
      members: Set(foundings))
  }

  func notFound(_ look: DocumentFounding.Look) -> SyncError {
    if let obstruction = look.obstruction { return .obstructedFounding(obstruction) }
    return look.unknownKeys.isEmpty
      ? SyncError(
        .documentNotFound, "The remote holds no document “\(hierarchy.document)”.",
        recovery: "Check the document's identifier.")
      : SyncError(
        .keyMissing, "The document “\(hierarchy.document)” was created with a key that is not at hand.",
        recovery: "Register the application with the password that it was created with.")
  }

  func wrapping<Result>(_ operation: () async throws -> Result) async throws(SyncError) -> Result {
    do {
      return try await operation()
    } catch {
      throw SyncError(wrapping: error)
    }
  }
}
