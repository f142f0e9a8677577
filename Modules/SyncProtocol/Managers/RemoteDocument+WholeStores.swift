import ChangeTracking
import Foundation

/// What came of beginning a store from the remote.
public struct BegunStore: Sendable {
  /// The whole store that was taken; `nil` if there is none that can be used, so that the device begins with an empty store and merges
  /// all sets.
  public var store: WholeStoreName?
  /// Of each author, the sets that it contains.
  public var contents = VersionVector()
  /// What could not be used, and why. A person should be told.
  public var findings: [SyncFinding] = []
  /// What was read of the document's foundings.
  var founding: DocumentFounding.View?
}

extension RemoteDocument {
  /// How many whole stores are tried at most.
  private static let tries = 4

  /// The whole stores that members of the document have uploaded, the one that contains most last.
  ///
  /// - Throws: ``SyncError`` with `documentNotFound`, `keyMissing` or `storage`.
  public func wholeStores() async throws(SyncError) -> [WholeStoreName] {
    try await wrapping { try await transfer().list().stores.map(\.name) }
  }

  /// Begins the store of a device that has none: takes the newest whole store that opens, so that only the sets after it are to be
  /// merged. Without any nothing is written, and the device begins with an empty store.
  ///
  /// A store is verified before it gets its place: its bytes are those that a member has written, SQLite finds it whole, it holds nothing
  /// that runs by itself, it contains what its name says, and `opening` succeeds. One that fails is told (``BegunStore/findings``) and the next one
  /// is tried. Then open the store and its replica, and register (``DocumentSyncManager/register(mayCreate:after:joining:)``) and synchronise.
  ///
  /// Needs room for the file and the store on the disk, and little memory. A device that holds data already joins with them and merges
  /// the sets: this is not for it.
  ///
  /// - Parameters:
  ///   - path: where the store is to be; nothing lies there.
  ///   - progress: told how far it is.
  ///   - opening: opens the store at a path with the application's model, requires that its tables demand no more of rows than the model
  ///     (`PersistentStore.requireTablesOfModel()`), and returns its replica: what only looks like a store with its bookkeeping has none. It is let
  ///     go of at once.
  /// - Throws: ``SyncError`` with `storeExists`, `documentNotFound`, `keyMissing`, `storage`, `noWholeStore`, `storeFull`, `store` or `cancelled`.
  ///   Nothing lies at the path then.
  public func beginStore(
    at path: String, progress: WholeStoreProgress.Handler? = nil, opening: (String) throws -> Replica
  ) async throws(SyncError) -> BegunStore {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw SyncError(
        .storeExists, subject: path, "There is a store already.",
        recovery: "Join with it, and what it holds is merged; or choose another place for a new one.")
    }
    return try await wrapping { try await begin(path, progress, opening) }
  }

  private func transfer() async throws -> WholeStoreTransfer {
    WholeStoreTransfer(backend: backend, hierarchy: hierarchy, protection: try await protection())
  }

  private func begin(
    _ path: String, _ progress: WholeStoreProgress.Handler?, _ opening: (String) throws -> Replica
  ) async throws -> BegunStore {
    let (protection, view) = try await opened()
    let transfer = WholeStoreTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    var begun = BegunStore()
    begun.founding = view
    let foundings = protection.foundings.map { founding in
      RegistrationPins.BegunFounding(
        founding: founding, key: view.look.genuine.first { $0.integrityKey == founding }?.key)
    }
    let listing: WholeStoreTransfer.Listing
    do throws(BackendError) {
      listing = try await transfer.list()
    } catch {
      guard error.isAboutOneFile else { throw error }
      begun.findings.append(.obstructed(hierarchy.wholeStore))
      return begun
    }
    if let first = listing.unverified.first {
      begun.findings.append(.unverifiedStores(count: listing.unverified.count, first: first.description))
    }
    var undelivered: (file: RemotePath, failure: BackendError)?
    for listed in listing.stores.reversed().prefix(Self.tries) {
      let scratch = try ScratchFolder(beside: path, named: "joining")
      // Under its own name, for the files beside a store are found by it.
      let staged = scratch.file(URL(filePath: path).lastPathComponent)
      do {
        let snapshot = try await transfer.fetch(listed, through: scratch, to: staged, progress: progress)
        // Its maker has left out what he remembered of the remote; somebody else may have put it in.
        try snapshot.forgetRemote(but: RegistrationPins.notesOfCopies)
        // A program that is killed before it registers must know which document it has a copy of.
        try snapshot.setRemoteState(RegistrationPins.begun, RegistrationPins.bytes(foundings))
        do {
          _ = try opening(staged)
        } catch let error where !WholeStoreTransfer.tellsNothing(error) {
          throw WholeStoreTransfer.Refusal(
            "it does not open: \(WholeStoreTransfer.Refusal.words(error, hiding: staged))")
        }
        try place(staged, at: path)
        begun.store = listed.name
        begun.contents = snapshot.contents
        return begun
      } catch let refusal as WholeStoreTransfer.Refusal {
        begun.findings.append(.wholeStoreRefused(listed.name, why: refusal.description))
      } catch let failure as BackendError {
        let refusal = try await transfer.refusal(ofUndelivered: failure)
        undelivered = undelivered ?? (hierarchy.file(of: listed.name), failure)
        begun.findings.append(.wholeStoreRefused(listed.name, why: refusal.description))
      }
    }
    if let undelivered { try await requireWholeHistory(protection, without: undelivered) }
    return begun
  }

  /// Refuses to begin with the sets alone where members have removed some because whole stores contain them, and one may yet be delivered.
  private func requireWholeHistory(
    _ protection: DocumentProtection, without undelivered: (file: RemotePath, failure: BackendError)
  ) async throws {
    let heads = HeadTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    guard try await heads.genuine().floors.contains(where: { $0.phase == .inForce }) else { return }
    let detail = undelivered.failure.detail
    throw SyncError(
      .noWholeStore, subject: "“\(undelivered.file)”",
      "The storage does not deliver this whole store\(detail.isEmpty ? "" : " (\(detail))"), and a new device can begin with nothing else: sets were removed because whole stores contain them.",
      recovery:
        "Try again later; if it stays so, look into the server's log, or upload another whole store from a device that takes part.",
      underlying: undelivered.failure)
  }

  /// The files first: whoever finds the store finds all that it leads to. Stores whose names differ in their extension alone share one
  /// folder, so others' files may lie there; a file that has a name already is the same one.
  private func place(_ staged: String, at path: String) throws {
    let files = FileManager.default
    let (from, to) = (StoreAttachments.folder(ofStoreAt: staged), StoreAttachments.folder(ofStoreAt: path))
    let names = try StoreAttachments.names(ofStoreAt: staged)
    if !names.isEmpty { try files.createDirectory(atPath: to, withIntermediateDirectories: true) }
    for name in names where !files.fileExists(atPath: "\(to)/\(name)") {
      try files.moveItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
    }
    // A log that outlived its store must not be taken for one of this store.
    for suffix in ["-wal", "-shm", "-journal"] { LocalFile.remove(path + suffix) }
    if files.fileExists(atPath: staged + "-wal") {
      try files.moveItem(atPath: staged + "-wal", toPath: path + "-wal")
    }
    try files.moveItem(atPath: staged, toPath: path)
  }
}
