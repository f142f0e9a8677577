import ChangeTracking
import Crypto

/// What a synchronisation does beyond one listing when that listing is not what it should be.
extension DocumentSyncManager {
  /// Finds out why a listing holds names that nobody known here has written, or less than before: whether devices founded the document
  /// while apart, whether it was replaced, and whose heads were lost.
  ///
  /// - Returns: what to fetch of authors whose heads are missing.
  func lookCloser(
    _ raw: RemoteListing, _ listing: inout HeadListing, _ protection: inout DocumentProtection,
    _ report: inout SyncReport
  ) async throws -> [SyncPlan.Fetch] {
    // Whose head is there again, or late no more, is sought no longer.
    try pins.setHeadless(of: Set(pins.headless.keys.filter { listing.newest(of: $0) == nil }))
    let regressed = try regressedAuthors(listing)
    let own = try replica.author
    // Before anything is pushed it must be certain that the document is the one that was joined.
    let isOwnHeadMissing = try replica.pushedSequence > 0 && listing.newest(of: own) == nil
    var look = try pins.closerLook
    let isDue = look.isDue(
      listing, regressed: regressed, keys: protection.keys.map { Array($0.identifiers) } ?? [],
      missingGenerations: protection.keys?.missingGenerations ?? 0, overdue: try overdueHeadless())
    var missing = look.missingKeys
    // Whoever gives a password wants to see what comes of it.
    let isKeyGiven = missing.contains { protection.keys?[$0.identifier] != nil }
    if isDue || isOwnHeadMissing || isKeyGiven {
      let isComplete =
        listing.unverified.isEmpty && listing.unverifiedOfRemoved.isEmpty && look.sealingKeys.isEmpty
        && protection.keys?.missingGenerations ?? 0 == 0
      let folder = isComplete ? nil : try await adoptKeys(&protection, &missing)
      do {
        let unknown = try await adoptFoundings(raw, &protection, &look, &report)
        if protection.keys == nil { missing = unknown.map { MissingKey($0) } }
      } catch let error as BackendError where error.isObstruction && !isOwnHeadMissing {
        try await noteObstruction(error, &report)
      }
      // Not before it is certain that this is the document's remote, and not somebody else's.
      if let folder, let ring = protection.keys { try await passOnKeys(ring, folder, &report) }
      listing = protection.heads(raw, isCut: listing.isCut)
    }
    look.note(
      missingKeys: listing.keysToTell(among: missing, sealing: look.sealingKeys),
      generations: protection.keys?.missingGenerations ?? 0)
    try pins.setCloserLook(look)
    report.syncsWithoutKey = Int(clamping: look.syncsWithoutKey)
    let isEncrypted = protection.keys != nil
    report.findings += look.findings(isEncrypted: isEncrypted)
    guard isDue, !regressed.isEmpty else { return [] }
    let headless = try await authorsWithoutHead(listing, protection)
    let fetches = try await fetches(ofHeadless: headless, listing, protection, &report)
    try pins.setHeadless(of: Set(fetches.map(\.author)))
    return fetches
  }

  /// Lets the next synchronisation look for the keys of what could not be read in this one.
  func noteSealingKeys(_ findings: [SyncFinding]) throws {
    var look = try pins.closerLook
    look.note(sealingKeys: Set(findings.compactMap(\.unknownKey)))
    try pins.setCloserLook(look)
  }

  /// Authors of whom the listing shows less than this device has seen, and those whose heads were missing before.
  private func regressedAuthors(_ listing: HeadListing) throws -> [AuthorID] {
    var regressed = Set(try pins.headless.keys)
    // What others have said again is of no interest.
    let superseded = try pins.supersededAuthors()
    let vector = try replica.vector()
    for (author, applied) in vector.sequences
    where (listing.lastSet(of: author)?.sequence ?? 0) < applied
      && applied > superseded[author]?.sequence ?? 0
    {
      regressed.insert(author)
    }
    for (author, heads) in try pins.heads.heads {
      let said = superseded[author]?.sequence
      guard let last = heads.last, said == nil || last.sequence > said ?? 0 else { continue }
      guard listing.tells(of: author), listing.lastSet(of: author)?.sequence ?? 0 >= last.sequence
      else {
        regressed.insert(author)
        continue
      }
    }
    return regressed.sorted()
  }

  // MARK: Foundings that meet

  /// Takes up the keys that others have wrapped with one of this device's.
  ///
  /// - Returns: what lies among the keys; `nil` if there is no encryption.
  private func adoptKeys(
    _ protection: inout DocumentProtection, _ missing: inout [MissingKey]
  ) async throws -> KeyFolder? {
    guard let keys = protection.keys else { return nil }
    let hierarchy = application.hierarchy
    let exchange = KeyExchange(backend: backend, hierarchy: hierarchy, secrets: configuration.secrets)
    var folder = KeyFolder(try await backend.listIfPresent(hierarchy.encryption) ?? RemoteListing())
    folder.add(known: try pins.withdrawals)
    let found = try await exchange.fetch(folder.wrapped, for: keys)
    let ring = KeyExchange.adding(found, to: keys, hierarchy)
    if !found.isEmpty { try pins.add(found) }
    let all = try folder.missingKeys(ring, hierarchy).sorted().prefix(DocumentFounding.limit)
    missing = try await folder.noting(
      unreadableFilesOf: all, KeyUnlocking(backend: backend, hierarchy: hierarchy))
    protection = try DocumentProtection(
      keys: ring, hierarchy: self.hierarchy, own: protection.foundings[0],
      others: Array(protection.foundings.dropFirst()), deleted: protection.deleted,
      secrets: configuration.secrets)
    return folder
  }

  /// Passes this device's keys on to others, with their key files if storage has lost those: without them nobody else learns that there is a
  /// key that is missing.
  private func passOnKeys(_ ring: KeyRing, _ folder: KeyFolder, _ report: inout SyncReport) async throws {
    let exchange = KeyExchange(
      backend: backend, hierarchy: application.hierarchy, secrets: configuration.secrets)
    try await putBackKeyFiles(missingFrom: folder, ring, &report)
    guard ring.all.count > 1 else { return }
    do {
      for obstruction in try await exchange.publish(ring, present: folder.wrapped) {
        try await noteObstruction(obstruction, &report)
      }
    } catch let error as BackendError where error.code != .cancelled {
      // Others do without for now; what this device has to say is not held up.
    }
  }

  /// Unites this device's founding with others that members of both have accepted, and notices that the document was replaced.
  ///
  /// - Returns: keys that founding records name and that are not at hand.
  private func adoptFoundings(
    _ raw: RemoteListing, _ protection: inout DocumentProtection, _ closerLook: inout CloserLook,
    _ report: inout SyncReport
  ) async throws -> [KeyIdentifier] {
    let founding = try founding(protection.keys)
    let own = protection.foundings[0]
    var look = try await founding.look()
    try pins.add(deleted: look.deleted)
    if let path = look.obstruction { report.note(obstruction: path) }
    if !look.contains(own) {
      if let deleted = try await deleted(look.deleted, own: own) { throw deleted }
      guard try await isStillThere(look, protection, protection.heads(raw)) else {
        throw try await absence(look)
      }
      if let (name, bytes) = try pins.namedFounding {
        if try await tolerating(&report, { try await founding.restore(bytes, name) }) {
          report.findings.append(.foundingRestored)
        }
        look.genuine.append(name)
      } else if look.genuine.isEmpty {
        throw try await absence(look)
      }
    }
    try await founding.accept(&look, as: own)
    let abandoned = abandonedFoundings(look, closerLook, protection, raw)
    if !abandoned.isEmpty { try await founding.accept(&look, own, inTheNameOf: abandoned) }
    let united = look.united(with: own)
    let all = Array(Set(united).union(protection.foundings.dropFirst())).sorted()
    if all != protection.foundings.dropFirst().sorted() {
      // A device that was interrupted between these would never keep what is new.
      try await keepFiles(founding)
      try pins.setUnited(all)
    }
    closerLook.note(
      apart: look.genuine.map(\.integrityKey).filter { $0 != own && !all.contains($0) },
      count: look.surplus ?? 0, at: configuration.now())
    protection = try DocumentProtection(
      keys: protection.keys, hierarchy: hierarchy, own: own, others: all,
      deleted: try pins.latestDeletedFoundings, secrets: configuration.secrets)
    return Array(look.unknownKeys.sorted { $0.description < $1.description }.prefix(DocumentFounding.limit))
  }

  /// How long other foundings are waited for, in milliseconds, before they are taken for abandoned: a week.
  private static let abandonment: UInt64 = 7 * 24 * 60 * 60 * 1_000

  /// Without encryption, the foundings whose members have not accepted this device's for a week although they have taken part: they are gone, as a
  /// rule. Anybody can write acceptances there, so nothing is kept out that waiting longer would keep out; the week is for notes of
  /// deletions that are late.
  private func abandonedFoundings(
    _ look: DocumentFounding.Look, _ closerLook: CloserLook, _ protection: DocumentProtection,
    _ raw: RemoteListing
  ) -> [IntegrityKey] {
    guard protection.keys == nil else { return [] }
    let now = configuration.now()
    let old = closerLook.unconfirmed.filter { look.contains($0.key) && now >= $0.value + Self.abandonment }
      .keys.sorted()
    guard !old.isEmpty else { return [] }
    let names = look.genuine.filter { old.contains($0.integrityKey) }
    return FoundingWitnesses(of: names, raw, protection.names, hierarchy).foundings.map(\.integrityKey)
  }

  /// Heads that are read to find out whether the document is still there.
  private static let readHeadLimit = 16

  /// Whether what lies there is the document that was joined although its founding record is lost or late: there is a founding that is one
  /// with it, heads of it, or the last set that this device has pushed, which its hash tells from any other.
  ///
  /// Where another founding is, a head must be what its author wrote: names alone may be left of the document that was there before.
  func isStillThere(
    _ look: DocumentFounding.Look, _ protection: DocumentProtection, _ listing: HeadListing
  ) async throws -> Bool {
    if protection.foundings.contains(where: look.contains) { return true }
    if look.genuine.isEmpty, !listing.heads.isEmpty { return true }
    if let hash = try replica.pushedHash {
      let pushed = SetName(sequence: try replica.pushedSequence, hash: hash)
      if try await backend.exists(hierarchy.file(of: pushed, by: try replica.author)) { return true }
    }
    guard !look.genuine.isEmpty else { return false }
    let heads = heads(protection)
    for name in listing.authors.compactMap({ listing.newest(of: $0) }).prefix(Self.readHeadLimit) {
      do {
        _ = try await heads.read(name)
        return true
      } catch let error as BackendError {
        guard error.isAboutOneFile else { throw error }
      } catch {
        try Task.checkCancellation()
      }
    }
    return false
  }

  /// What it means that the document is not there.
  func absence(_ look: DocumentFounding.Look) async throws -> SyncError {
    guard look.genuine.isEmpty else { return try await replaced() }
    if let obstruction = look.obstruction { return .obstructedFounding(obstruction) }
    return try isOfStrangers(look) ? .strange(hierarchy) : removed()
  }

  /// Whether a document lies there that others have founded, with keys that this device has not met beside its own document.
  func isOfStrangers(_ look: DocumentFounding.Look) throws -> Bool {
    let met = Set(try pins.closerLook.missingKeys.map(\.identifier))
    return look.isFoundedInTheOpen || !look.unknownKeys.isSubset(of: met)
  }

  // MARK: Heads that were lost

  /// What to fetch of authors whose heads are missing: the sets that continue what was applied.
  private func fetches(
    ofHeadless authors: Set<AuthorID>, _ listing: HeadListing, _ protection: DocumentProtection,
    _ report: inout SyncReport
  ) async throws -> [SyncPlan.Fetch] {
    let transfer = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    let vector = try replica.vector()
    let names = try await concurrently(authors.sorted(), limit: SetTransfer.parallelism) {
      (author: $0, sets: try await transfer.list($0))
    }
    var superseded = try pins.supersededAuthors().mapValues(\.sequence)
    for one in listing.supersessions {
      superseded[one.former] = max(superseded[one.former] ?? 0, one.through)
    }
    let known = try pins.headless
    var fetches: [SyncPlan.Fetch] = []
    for (author, found) in names {
      // Who said what an author has written again has removed his heads.
      guard case .success(let sets) = found, let last = sets.last, last.sequence > superseded[author] ?? 0
      else {
        continue
      }
      let isGivenUp = known[author].map { $0.isGivenUp && $0.last == last } ?? false
      if !isGivenUp, (listing.lastSet(of: author)?.sequence ?? 0) < last.sequence {
        report.findings.append(.headMissing(author: author))
      }
      let applied = vector[author]
      if last.sequence > applied {
        fetches.append(SyncPlan.Fetch(author: author, after: applied, last: last, isNamed: false))
      }
    }
    return fetches
  }
}

extension HeadListing {
  /// The keys, of those that are not at hand, that somebody is to be asked for.
  ///
  /// Where only devices that were removed have written with unknown keys, or heads bear keys that are at hand and sets do not, those are keys
  /// that have come in the place of one at hand and that a password opens: the document goes on with them, or did. Others may be gone with the
  /// devices.
  fileprivate func keysToTell(among missing: [MissingKey], sealing: [KeyIdentifier]) -> [MissingKey] {
    if !unverified.isEmpty { return missing }
    return missing.filter { key in
      key.isReplacement && key.hasFile && key.unreadableFile == nil
        && (!unverifiedOfRemoved.isEmpty || sealing.contains(key.identifier))
    }
  }
}
