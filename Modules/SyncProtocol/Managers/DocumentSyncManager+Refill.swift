import ChangeTracking

extension DocumentSyncManager {
  /// Fills a remote that was wiped or rolled back, or lost the document, with what this device has: all that it shows, whoever
  /// wrote it. To be called when a person has confirmed that what was on the remote is lost; what is still there, or comes
  /// back, is merged as ever and does no harm.
  ///
  /// This device goes on as a new author, who says again what is in effect. The other devices need do nothing: they read it like
  /// any change, and send again what they have kept of their own. Folders, descriptions and key files that are missing are
  /// put back as this device has known them, so that others find the same document. What this device has not merged yet only
  /// others can bring.
  ///
  /// - Returns: as for ``synchronize(_:)``, which is the last step.
  /// - Throws: ``SyncError`` with `notRegistered`, `deviceRemoved`, `documentDeleted`, `documentReplaced` if another document bears the name now, `folderInOtherCase`, or as
  ///   ``synchronize(_:)``. Repeating it continues.
  @discardableResult
  public func refill(_ options: SyncOptions = SyncOptions()) async throws(SyncError) -> SyncReport {
    try await reporting { report in
      try requireRegistration()
      try await requireOwnCase()
      let protection = try await protection()
      if try isRemoved {
        // Where anybody can write the note, it holds as long as it lies there.
        let heads = heads(protection)
        try await learnRemovals(try await heads.genuine(), heads, again: false)
        try await requireMembership(heads)
      }
      let founding = try founding(protection.keys)
      let look = try await founding.look()
      if let deleted = try await deleted(look.deleted, own: protection.foundings[0]) { throw deleted }
      if try !look.genuine.isEmpty || isOfStrangers(look) {
        let listing = try await heads(protection).genuine()
        guard try await isStillThere(look, protection, listing) else { throw try await absence(look) }
      }
      // The name is what counts, where nobody is left who knows what it holds.
      if let (name, bytes) = try pins.namedFounding, !look.contains(protection.foundings[0]) {
        if try await tolerating(&report, { try await founding.restore(bytes, name) }) {
          report.findings.append(.foundingRestored)
        }
      }
      try await putBackFiles(&report)
      let sets = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
      replica.sealing = sets.seal
      try restateEverything(beside: await heads(protection).genuine().supersessions)
      try await synchronize(options, &report)
    }
  }

  /// - Parameter statements: those that lie there. What they say again of former authors need not be said once more.
  private func restateEverything(beside statements: some Collection<Supersession>) throws {
    let superseded = try pins.supersededAuthors()
    var said: [(author: AuthorID, through: UInt64, content: Supersession.Content)] = []
    func add(_ author: AuthorID, _ through: UInt64, _ chain: ContentHash) throws {
      let sets = try settledSets(of: author, through: through)
      said.append((author, through, Supersession.Content(chain: chain, sets: sets)))
    }
    if let chain = try replica.pushedHash { try add(replica.author, replica.pushedSequence, chain) }
    for (author, sequence) in try replica.vector().sequences {
      let isSaid = statements.contains { $0.former == author && $0.through >= sequence }
      if isSaid, let last = superseded[author], last.sequence >= sequence { continue }
      if let chain = try replica.chain(of: author) { try add(author, sequence, chain) }
    }
    try replica.restate(.everybody) { notes in
      for one in said {
        try RegistrationPins.willSupersede(one.author, through: one.through, one.content, notes)
      }
    }
  }
}
