import ChangeTracking

extension DocumentSyncManager {
  /// Synchronises, then removes from the remote what nobody who takes part can need: sets that all have merged and whole stores contain,
  /// older whole stores that the newest two that open contain, old heads, and long values that no set mentions.
  ///
  /// What is to be removed is announced first, and removed by a later call, once the announcement has been there for some time: whoever
  /// is joining with an older whole store gets the sets meanwhile. A long value goes once no set has mentioned it for as long. A device that
  /// has been away for longer than agreed holds back nothing; when it returns it takes over a whole store (``SyncOptions/returning``).
  /// The newest two whole stores are fetched and opened each time, and those that are older. Two vacuums at once do no harm, and one that is
  /// interrupted is continued by the next.
  ///
  /// - Parameters:
  ///   - policy: what is agreed.
  ///   - dryRun: whether to tell only what would be removed. Nothing is synchronised or written then.
  ///   - options: of the synchronisation.
  /// - Throws: ``SyncError`` as ``synchronize(_:)``.
  @discardableResult
  public func vacuum(
    _ policy: VacuumPolicy = VacuumPolicy(), dryRun: Bool = false, _ options: SyncOptions = SyncOptions()
  ) async throws(SyncError) -> VacuumReport {
    var vacuum = VacuumReport()
    let sync = try await reporting { report in
      if dryRun { try requireRegistration() } else { try await synchronize(options, &report) }
      let protection = try await protection()
      let heads = heads(protection)
      let listing = try await heads.genuine()
      if !dryRun { try await learnFloors(listing, heads) }
      vacuum.plan = try await plan(policy, listing, heads)
      guard !dryRun else { return }
      vacuum.left = try await carryOut(vacuum.plan, listing, heads, &report)
      vacuum.isCarriedOut = true
    }
    vacuum.sync = dryRun ? nil : sync
    return vacuum
  }

  // MARK: Reckoning

  private func plan(
    _ policy: VacuumPolicy, _ listing: HeadListing, _ heads: HeadTransfer
  ) async throws -> VacuumPlan {
    var plan = VacuumPlan()
    plan.heads = try oldHeads(listing)
    let transfer = WholeStoreTransfer(backend: backend, hierarchy: hierarchy, protection: heads.protection)
    let (sets, areAllListed) = try await listedSets(heads.protection)
    let (kept, older) = try await openStores(transfer, sets)
    plan.wholeStores = older
    plan.obstacle = try obstacle(listing, isAnyKept: !kept.isEmpty)
    guard plan.obstacle == nil else { return plan }
    let own = try contents()
    let members: [AuthorID: VersionVector]
    switch try await vacuumMembers(holding: own, listing, heads) {
    case .known(let vectors): members = vectors
    case .unreadable(let author):
      plan.obstacle = .unreadableHead(author)
      return plan
    }
    let reckoning = VacuumReckoning(
      policy: policy, now: configuration.now(), members: members,
      stores: kept.map { $0.contents.intersection(own) }, contained: kept.map(\.sets), sets: sets,
      settled: try sets.keys.reduce(into: [:]) { settled, author in
        settled[author] = try replica.settledSets(of: author).map {
          SetName(sequence: $0.sequence, hash: $0.hash)
        }
      }, floors: try pins.floors)
    for (author, sets) in reckoning.removable.sorted(by: { $0.key < $1.key }) {
      // What is not settled here others may not have either.
      for set in sets where try replica.knows(set.hash, of: author, sequence: set.sequence) {
        plan.sets.append(RemoteDocument.SetReference(author: author, set: set))
      }
    }
    plan.passed = reckoning.passed
    plan.floor = reckoning.floor
    plan.announcement = reckoning.announcement
    plan.announced =
      (reckoning.announcement?.total ?? 0) - min(plan.floor.total, reckoning.announcement?.total ?? 0)
    plan.absent = reckoning.absent
    plan.holding = reckoning.behind.filter { !plan.absent.contains($0) }
    if areAllListed {
      let awaited = kept.reduce(into: Set<ContentHash>()) { $0.formUnion($1.awaited) }
      try await planUnusedValues(&plan, policy, sets, awaited: awaited, listing, heads.protection)
    }
    return plan
  }

  private func obstacle(_ listing: HeadListing, isAnyKept: Bool) throws -> VacuumObstacle? {
    if listing.isCut || !listing.unverified.isEmpty { return .unknownHeads }
    if try isIncomplete() { return .incomplete }
    return isAnyKept ? nil : .noWholeStore
  }

  /// Whether sets are waited for here, or were removed before this device had them.
  private func isIncomplete() throws -> Bool { try !pins.awaitedAuthors().isEmpty || isBelowFloor() }

  /// Heads whose author has published a newer one, which names all that they name.
  private func oldHeads(_ listing: HeadListing) throws -> [HeadName] {
    try listing.authors.flatMap { author -> [HeadName] in
      guard let newest = listing.newest(of: author), listing.siblings(of: author).isEmpty else { return [] }
      // Until what the newest names is here, it may be another branch.
      if let last = newest.set {
        guard try replica.knows(last.hash, of: author, sequence: last.sequence) else { return [] }
      }
      return try (listing.heads[author] ?? []).filter { head in
        guard head != newest, head.sequence <= newest.sequence, head.seen <= newest.seen else { return false }
        guard let set = head.set, set != newest.set else { return true }
        return try isOnlySet(set, of: author)
      }
    }
  }

  /// Whether a set is settled here and is the only one under its number.
  private func isOnlySet(_ set: SetName, of author: AuthorID) throws -> Bool {
    try replica.settledSets(of: author).filter { $0.sequence == set.sequence }.map(\.hash) == [set.hash]
  }

  /// What a whole store contains: of each author up to which set, and which sets of his branches; the long values that it lacks, and those that
  /// were looked for and that it holds.
  private typealias StoreContents = (
    contents: VersionVector, sets: [AuthorID: Set<SetName>], awaited: Set<ContentHash>, held: Set<ContentHash>
  )

  /// What the newest whole stores contain with which somebody can begin, and those that they take the place of.
  ///
  /// One counts if, with the sets that lie there, it makes up all that this device holds: its maker may have given up sets that are in
  /// others, and were removed for that. An older one goes only if the others contain it: nothing tells a device of sets that were removed
  /// before it had heard of them, while what names them is late.
  ///
  /// Where the makers of these wait for a long value, an older one that holds it stays: its file may have been removed because whole stores
  /// had it.
  private func openStores(
    _ transfer: WholeStoreTransfer, _ sets: [AuthorID: [SetName]]
  ) async throws -> (contents: [StoreContents], older: [WholeStoreName]) {
    let stores = try await transfer.list().stores
    let (own, there) = (try contents(), sets.mapValues { Set($0.map(\.sequence)) })
    var kept: [StoreContents] = []
    var older: [WholeStoreName] = []
    var lacking: Set<ContentHash> = []
    var (tried, compared) = (0, 0)
    for listed in stores.reversed() {
      let isOlder = kept.count == VacuumPolicy.keptStores
      if isOlder { compared += 1 } else { tried += 1 }
      guard tried <= VacuumPolicy.storeTries, compared <= VacuumPolicy.comparisons else { break }
      guard let found = try await open(listed, transfer, lookingFor: lacking) else { continue }
      if isOlder {
        lacking.subtract(found.held)
        if found.held.isEmpty, kept.allSatisfy({ Self.contains($0, found) }) { older.append(listed.name) }
      } else if Self.makesUp(own, found.contents, there) {
        lacking = kept.isEmpty ? found.awaited : lacking.intersection(found.awaited)
        kept.append(found)
      }
    }
    return (kept, older)
  }

  private func open(
    _ listed: WholeStoreTransfer.Listed, _ transfer: WholeStoreTransfer, lookingFor wanted: Set<ContentHash>
  ) async throws -> StoreContents? {
    let scratch = try ScratchFolder(beside: replica.storePath, named: "vacuum")
    do {
      let path = scratch.file("store.sqlite")
      let snapshot = try await transfer.fetch(listed, through: scratch, to: path, progress: nil)
      let sets = try snapshot.settledSets().mapValues { sets in
        Set(sets.map { SetName(sequence: $0.sequence, hash: $0.hash) })
      }
      let awaited = try snapshot.awaitedLongValues()
      guard try replica.canBegin(withCopyAt: path) else { return nil }
      let held = try wanted.isEmpty ? [] : replica.longValues(wanted, inCopyAt: path)?.hashes ?? wanted
      return (snapshot.contents, sets, awaited, held)
    } catch is WholeStoreTransfer.Refusal {
      return nil
    }
  }

  /// Whether a whole store and the sets that lie there are together all that is held.
  private static func makesUp(
    _ held: VersionVector, _ contents: VersionVector, _ there: [AuthorID: Set<UInt64>]
  ) -> Bool {
    held.sequences.allSatisfy { author, last in
      let first = contents[author]
      return first >= last || (first + 1...last).allSatisfy { there[author]?.contains($0) == true }
    }
  }

  private static func contains(_ store: StoreContents, _ other: StoreContents) -> Bool {
    store.contents.covers(other.contents)
      && other.sets.allSatisfy { author, sets in sets.isSubset(of: store.sets[author] ?? []) }
  }

  /// The sets of each author whose folder the storage lists, and whether these are all.
  private func listedSets(
    _ protection: DocumentProtection
  ) async throws -> (sets: [AuthorID: [SetName]], areAll: Bool) {
    let folders = try await backend.listIfPresent(hierarchy.syncChanges)?.entries ?? []
    let authors = folders.filter { $0.kind == .folder }.compactMap { AuthorID($0.name.description) }.sorted()
    let sets = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    let found = try await concurrently(authors, limit: SetTransfer.parallelism) { author in
      try await sets.list(author)
    }
    var listed: [AuthorID: [SetName]] = [:]
    for (author, result) in zip(authors, found) {
      if case .success(let names) = result { listed[author] = names }
    }
    return (listed, listed.count == authors.count)
  }

  // MARK: Removing

  /// - Returns: how many files could not be removed.
  private func carryOut(
    _ plan: VacuumPlan, _ listing: HeadListing, _ heads: HeadTransfer, _ report: inout SyncReport
  ) async throws -> Int {
    var paths: [RemotePath] = []
    if let unused = plan.unused { try pins.note(unused: unused, at: configuration.now()) }
    if plan.obstacle == nil {
      try await publishFloors(plan, heads, &paths, &report)
      try await writeDown(plan.absent, heads.protection)
      paths += plan.sets.map { hierarchy.file(of: $0.set, by: $0.author) }
    }
    paths += plan.wholeStores.map { hierarchy.file(of: $0) } + plan.heads.map { hierarchy.file(of: $0) }
    // Whoever still reads a set that goes gets what that mentions.
    return try await remove(paths) + remove(plan.longValues.map { hierarchy.file(of: $0) })
  }

  /// - Returns: how many files could not be removed.
  private func remove(_ paths: [RemotePath]) async throws -> Int {
    let outcomes = try await concurrently(paths, limit: SetTransfer.parallelism) { [backend] path -> Bool in
      do throws(BackendError) {
        try await backend.remove(path)
        return true
      } catch {
        if error.code == .notFound { return true }
        guard error.isAboutOneFile else { throw error }
        return false
      }
    }
    return outcomes.filter { !$0 }.count
  }

  /// Writes down who was away for too long, or is nobody any more: for people, and for whoever asks why a device has taken over a whole store.
  func writeDown(_ absent: [AuthorID], _ protection: DocumentProtection) async throws {
    guard !absent.isEmpty else { return }
    try await backend.makeFolder(hierarchy.deletedClients)
    for author in absent {
      _ = try await backend.createUnlessPresent([], at: hierarchy.file(of: protection.absence(of: author)))
    }
  }

  /// Announces what is gone before anything goes: who meets a gap then knows why. Floors that a later one takes the place of go.
  private func publishFloors(
    _ plan: VacuumPlan, _ heads: HeadTransfer, _ old: inout [RemotePath], _ report: inout SyncReport
  ) async throws {
    let readable = try pins.floors.filter(\.isReadable)
    // The same one of several that say the same, whoever chooses.
    let said = readable.filter { $0.name.phase == .inForce && $0.content == plan.floor }.map(\.name).min()
    let author = try replica.author
    if said == nil, !plan.floor.sequences.isEmpty {
      try await writingOwn(&report) { try await heads.publish(plan.floor, .inForce, by: author) }
    }
    if let announcement = plan.announcement {
      try await writingOwn(&report) { try await heads.publish(announcement, .announced, by: author) }
    }
    old += readable.filter { $0.name != said && plan.floor.covers($0.content) }
      .map { hierarchy.file(of: $0.name) }
    try await learnFloors(try await heads.genuine(), heads)
  }
}
