import ChangeTracking

/// What came of the upload of a whole store.
public struct WholeStoreUpload: Sendable {
  /// What the file is called.
  public var name: WholeStoreName
  /// Bytes of the file; `nil` if it lay there already, so that nothing was uploaded.
  public var size: Int64?
  /// Of each author, the sets that the copy contains.
  public var contents: VersionVector
  /// What the synchronisation before it did.
  public var report: SyncReport
}

extension DocumentSyncManager {
  /// How many whole stores of its own a device leaves on the remote: should the newest not open, there is another.
  private static let keptStores = 2

  /// Synchronises, then uploads a copy of the whole store, from which new devices begin.
  ///
  /// The application may go on writing: the copy is as of one moment, and what is saved after the synchronisation and before that moment
  /// is in it too. Others see the copy when all of it has arrived, or never. What earlier uploads left incomplete is removed, and the
  /// older ones of this device's copies but one. If the remote holds a copy of this device that contains as much, it is
  /// fetched and compared, and nothing is uploaded if it is sound.
  ///
  /// Needs room for the copy and the file on the disk of the store meanwhile, and little memory.
  ///
  /// - Parameters:
  ///   - options: of the synchronisation.
  ///   - progress: told how far it is.
  /// - Throws: ``SyncError`` as ``synchronize(_:)``. Repeating it begins anew.
  @discardableResult
  public func uploadStore(
    _ options: SyncOptions = SyncOptions(), progress: WholeStoreProgress.Handler? = nil
  ) async throws(SyncError) -> WholeStoreUpload {
    var options = options
    options.wholeStores = nil
    var upload: (name: WholeStoreName, size: Int64?, contents: VersionVector)?
    let report = try await reporting { report in
      try await synchronize(options, &report)
      if try lacksSets() {
        throw SyncError(
          .storeIncomplete,
          "This device lacks sets, and some were removed from the remote, so nobody can begin with its copy.",
          recovery: "Upload one from another device, and take that over here (rejoin).")
      }
      upload = try await uploadStore(progress)
    }
    guard let upload else {
      throw SyncError(.failed, "Nothing was uploaded.", recovery: "Report this message.")
    }
    return WholeStoreUpload(name: upload.name, size: upload.size, contents: upload.contents, report: report)
  }

  func wholeStores(_ protection: DocumentProtection) -> WholeStoreTransfer {
    WholeStoreTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
  }

  private func uploadStore(
    _ progress: WholeStoreProgress.Handler?
  ) async throws -> (name: WholeStoreName, size: Int64?, contents: VersionVector) {
    let transfer = wholeStores(try await protection())
    let stores = try await transfer.list().stores
    let listed = Set(stores.map(\.name))
    let contents = try contents()
    let known = try pins.ownWholeStores.last { own in
      own.isComplete && listed.contains(own.name) && own.name.total >= contents.total
    }
    if let known, let there = stores.first(where: { $0.name == known.name }), try replica.status().isPushed {
      let scratch = try ScratchFolder(beside: replica.storePath, named: "whole-store")
      if try await transfer.isIntact(there, through: scratch) {
        try await sweep(listed, but: known.name)
        return (known.name, nil, contents)
      }
      try await backend.remove(hierarchy.file(of: known.name))
      try pins.forget(known.name)
    }
    return try await uploadStore(transfer, beside: listed, progress)
  }

  private func uploadStore(
    _ transfer: WholeStoreTransfer, beside listed: Set<WholeStoreName>,
    _ progress: WholeStoreProgress.Handler?
  ) async throws -> (name: WholeStoreName, size: Int64?, contents: VersionVector) {
    let scratch = try ScratchFolder(beside: replica.storePath, named: "whole-store")
    let snapshot = try replica.snapshot(
      to: scratch.file("store.sqlite"), keepingRemoteNotes: RegistrationPins.notesOfCopies)
    let file = scratch.file("upload")
    let name = try transfer.pack(snapshot, to: file, progress: progress)
    try pins.note(.init(name: name, isComplete: false))
    try await transfer.upload(file, as: name, progress: progress)
    try pins.note(.init(name: name, isComplete: true))
    try await sweep(listed, but: name)
    var memory = try pins.wholeStoreMemory
    (memory.newest, memory.looked) = (max(memory.newest, name.total), try held())
    try pins.setWholeStoreMemory(memory)
    return (name, LocalFile.size(of: file), snapshot.contents)
  }

  /// Whether this device lacks sets that may have been removed: of branches, too, for of these its vector does not tell.
  private func lacksSets() throws -> Bool {
    if try isBelowFloor() { return true }
    return try !floor().sequences.isEmpty && pins.pendingForks.contains { !$0.isGivenUp }
  }

  /// How many sets this device holds, its own among them.
  private func held() throws -> UInt64 { try contents().total }

  /// Uploads a whole store if enough sets have come since the newest that lies there. Nothing depends on it, so what goes wrong is told and
  /// tried again when more sets have come.
  ///
  /// Where sets were removed, nobody can join without a whole store: so it is looked for once a day.
  func uploadStoreIfDue(
    _ policy: WholeStorePolicy?, isUpkeepDue: Bool, _ listing: HeadListing, _ report: inout SyncReport
  ) async throws {
    try pins.noteTransfer(sets: report.pushedSets + report.pulledSets, bytes: report.setBytes)
    // What lacks removed sets is nothing to begin with.
    let isNeeded = try isUpkeepDue && !floor().sequences.isEmpty
    guard let policy, isNeeded || report.pushedSets + report.pulledSets > 0, try !lacksSets() else { return }
    var memory = try pins.wholeStoreMemory
    let rank = WholeStoreNeed.rank(
      of: try replica.author, among: try membersAmong(listing.authors), turn: memory.newest / policy.sets)
    let need = WholeStoreNeed(policy: policy, held: try held(), memory: memory, rank: rank)
    guard isNeeded || need.isLookDue else { return }
    do {
      let transfer = wholeStores(try await protection())
      // What has not arrived in full may never do so, and one that says to contain sets of which nothing tells opens nowhere.
      let told = try contents().union(listing.lastSets).union(floor()).total
      let stores = try await transfer.list().stores.filter { $0.hasSizeOfName && $0.name.total <= told }
      let newest = stores.last
      (memory.newest, memory.looked) = (newest?.name.total ?? 0, need.held)
      try pins.setWholeStoreMemory(memory)
      let size = newest.map { $0.size ?? $0.name.size.greatest } ?? 0
      let isMissing = isNeeded && stores.isEmpty
      // Where it is looked each day, so few sets may come between two looks that none is due for their sake.
      guard isMissing || need.isUploadDue(after: memory.newest, size: size) else { return }
      let listed = Set(stores.map(\.name))
      report.uploadedStore = try await uploadStore(transfer, beside: listed, nil).name
    } catch {
      try Task.checkCancellation()
      report.findings.append(.wholeStoreNotUploaded(why: SyncError(wrapping: error).description))
    }
  }

  /// Removes what this device has uploaded and nobody needs: what did not arrive in full, and older copies. What fails is left to the
  /// next time.
  ///
  /// Only what this store knows to have written, not all under its author's name: a copy of the store may write under that too, and its
  /// whole stores can be all that is left of the sets of its branch.
  private func sweep(_ listed: Set<WholeStoreName>, but newest: WholeStoreName) async throws {
    let own = try pins.ownWholeStores
    let mine = own.filter { $0.name != newest && listed.contains($0.name) }
    // One of them may hold what this device waits for; a vacuum looks.
    let isWaiting = try !replica.awaitedLongValues().isEmpty
    let superseded = mine.filter(\.isComplete).map(\.name).sorted()
    let older = isWaiting ? [] : superseded.dropLast(Self.keptStores - 1)
    let unneeded = mine.filter { !$0.isComplete }.map(\.name) + older
    for name in unneeded.sorted() {
      do throws(BackendError) {
        try await backend.remove(hierarchy.file(of: name))
      } catch {
        guard error.code == .notFound else { continue }
      }
      try pins.forget(name)
    }
    for gone in own where gone.name != newest && !listed.contains(gone.name) { try pins.forget(gone.name) }
  }

  /// Reports a whole store that contains more than this device, if sets that it needs have been missing for some time.
  func lookForWholeStore(_ protection: DocumentProtection, _ report: inout SyncReport) async throws {
    let verdict = WholeStoreVerdict(held: try held(), blocked: report.blocked)
    guard verdict.isLookDue else { return }
    let transfer = wholeStores(protection)
    // Only a person can act on it, so whatever is wrong with the folder is of no interest now.
    guard let listing = try? await transfer.list() else { return }
    if let store = verdict.choice(of: listing.stores.map(\.name)) {
      report.findings.append(.wholeStoreAhead(store))
    }
  }
}
