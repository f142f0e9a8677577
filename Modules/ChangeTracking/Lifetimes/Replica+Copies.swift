import ObjectStore
import TICDSSQLite

/// Merging a copy of another replica's store, where the sets that it was made of are not to be had any more.
extension Replica {
  /// Where the histories of an author end here and in a copy.
  package struct ChainEnds {
    /// The author.
    package var author: AuthorID
    /// The last set of the chain that is not gone on with; others may know of nothing that leads to it.
    package var left: (sequence: UInt64, hash: ContentHash)
  }

  /// What came of merging a copy.
  package enum CopyOutcome {
    /// Everything is merged and durable.
    case merged(ApplyReport)
    /// Nothing was changed, for these conflicts have no answer yet.
    case undecided([Conflict])
    /// Nothing was changed, for the copy cannot be opened here; the text says why.
    case unusable(String)
  }

  /// Merges what a copy of another replica's store holds, and goes on under a new author.
  ///
  /// What is in effect in the copy meets what is here with the stamps that its authors gave, so the result is that of merging all sets
  /// that the copy contains: of two edits the later shows, what was deleted stays so, and what was not pushed is kept and said under
  /// the new author. What the maker of the copy had not pushed is said with it. All of it, and that the sets of the copy are
  /// settled here, is one durable transaction.
  ///
  /// - Parameters:
  ///   - path: a copy that was verified (``StoreSnapshot/init(reading:)``). It is used up.
  ///   - policy: how conflicts with changes not yet pushed are decided.
  ///   - along: what else happens in the transaction, with the notes of the copy, those of this replica, and the ends of chains that nobody goes
  ///     on with.
  package func mergeCopy(
    at path: String, policy: ConflictPolicy,
    along: (_ copied: RemoteNotes, _ own: RemoteNotes, _ ends: [ChainEnds]) throws -> Void
  ) throws -> CopyOutcome {
    var configuration = configuration
    configuration.client = client
    let copy: StoreCopy
    do {
      guard let store = try store.openCopy(at: path) else {
        return .unusable("this kind of store does not open copies")
      }
      copy = try StoreCopy(store, configuration)
    } catch let error where databaseFailure(behind: error)?.isOfThisDevice != true {
      return .unusable("it does not open: \((error as? ReplicaError)?.message ?? "\(error)")")
    }
    if try copy.isBehind(horizon()) {
      return .unusable("it is of a time before deletions that are forgotten here")
    }
    try freeze()
    do {
      let told = try copy.toldNames()
      try learnNames { try told.tell($0) }
      do {
        return .merged(try merge(copy, policy, areNamesLearnt: false, along))
      } catch is UnknownNames {
        try copy.sets { try self.learnNames(of: [ReceivedSet(set: $0, hash: Self.noHash)], all: true) }
        return .merged(try merge(copy, policy, areNamesLearnt: true, along))
      }
    } catch let undecided as MergeRun.Undecided {
      return .undecided(undecided.conflicts)
    } catch let unusable as StoreCopy.Unusable {
      return .unusable(unusable.description)
    }
  }

  /// Whether somebody could begin with a copy of another replica's store that was verified. It is used up.
  ///
  /// - Returns: `true` as well if this kind of store does not open copies, so that nobody can tell.
  package func canBegin(withCopyAt path: String) throws -> Bool {
    do {
      guard let store = try store.openCopy(at: path) else { return true }
      _ = try Replica(store: store, configuration: configuration)
      return true
    } catch let error where databaseFailure(behind: error)?.isOfThisDevice != true {
      return false
    }
  }

  /// Of sets that are no files.
  private static var noHash: ContentHash { ContentHash(of: []) }

  private func merge(
    _ copy: StoreCopy, _ policy: ConflictPolicy, areNamesLearnt: Bool,
    _ along: (RemoteNotes, RemoteNotes, [ChainEnds]) throws -> Void
  ) throws -> ApplyReport {
    try withIdentifiedRows { identified in
      try begin { transaction in
        try freezeForSuccessor(in: transaction, identified)
        let cells = transaction.cells
        for contents in copy.contents {
          _ = try cells.authors.number(of: contents.author.id, client: contents.author.client)
        }
        let (options, changes) = (mergeOptions, log)
        var report = ApplyReport()
        var hidden: [RegisterID: Register.Content] = [:]
        try copy.sets { set in
          let run = MergeRun(
            [ReceivedSet(set: set, hash: Self.noHash)], policy: policy, keepsInverse: false,
            options: options, log: changes, isOfCopy: true, progress: nil)
          _ = try run.mergeSlice(in: transaction)
          guard areNamesLearnt || !cells.names.hasNewRelatives else { throw UnknownNames() }
          report.add(run.report)
          hidden.merge(run.hidden) { _, later in later }
        }
        try freezeForSuccessor(in: transaction, identified, hidden: hidden)
        try cells.objects.flush()
        try succeed(.others([copy.unpushed]), in: transaction, identified)
        try along(copy.notes, RemoteNotes(connection), try settle(copy, cells.authors))
        return report
      }
    }
  }

  /// Notes that the sets of a copy are settled here.
  ///
  /// - Returns: the ends of chains that are not gone on with.
  private func settle(_ copy: StoreCopy, _ authors: AuthorTable) throws -> [ChainEnds] {
    var ends: [ChainEnds] = []
    let gaps = GapTable(connection)
    for contents in copy.contents where contents.author.sequence > 0 {
      let (theirs, ours) = (contents.author, authors[contents.author.id])
      for set in contents.sets { try authors.insert(set, of: theirs.id) }
      let (lacked, before) = (copy.gaps[theirs.id], ours?.sequence ?? 0)
      try gaps.close(
        theirs.id, through: lacked.map { min(theirs.sequence, $0.lowerBound - 1) } ?? theirs.sequence)
      if let lacked, theirs.sequence > before, lacked.upperBound > before {
        // What nobody has is missing here as well.
        guard try gaps.add(max(lacked.lowerBound, before + 1)...lacked.upperBound, of: theirs.id) else {
          throw StoreCopy.Unusable(description: "its maker lacked sets of too many authors")
        }
      }
      guard let chain = theirs.chain else { continue }
      let here = (sequence: ours?.sequence ?? 0, hash: ours?.chain)
      if theirs.sequence > here.sequence {
        if let hash = here.hash, !contents.sets.contains(where: { $0.hash == hash }) {
          ends.append(ChainEnds(author: theirs.id, left: (here.sequence, hash)))
        }
        try authors.advance(theirs.id, to: theirs.sequence, chain: chain)
      } else if chain != here.hash,
        try !authors.sets(of: theirs.id).contains(where: {
          $0.hash == chain && $0.sequence < here.sequence
        })
      {
        ends.append(ChainEnds(author: theirs.id, left: (theirs.sequence, chain)))
      }
    }
    try gaps.close(with: authors)
    return ends
  }
}

extension ApplyReport {
  /// Adds what the merge of another set of the same copy did.
  fileprivate mutating func add(_ other: ApplyReport) {
    changes += other.changes
    effective += other.effective
    conflicts += other.conflicts
    warnings += other.warnings
    parked += other.parked
    changedSlices += other.changedSlices
  }
}
