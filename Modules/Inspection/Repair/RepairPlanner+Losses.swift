import ChangeTracking
import SyncProtocol

/// Sets and long values that are lost: another copy of the remote has them, or devices are asked.
extension RepairPlanner {
  /// Lost sets and values that one plan deals with: names can claim that any number is missing.
  static let lossLimit = 4_096

  mutating func restoreLost() {
    let ends = ends()
    for lost in lost.prefix(Self.lossLimit) { restore(lost, ends) }
  }

  /// Removes what former repairs asked for and what has come: no device takes these requests back.
  mutating func takeBackRequests() {
    for document in documents.values {
      for request in document.metRequests(verification.lost(of: document) + lost) {
        putAside(document.hierarchy.file(of: request), "What it asks for is there.")
      }
    }
  }

  private mutating func restore(
    _ lost: Verification.Lost, _ ends: [RemotePath: [AuthorID: UInt64]]
  ) {
    guard let document = documents[lost.document.root] else { return }
    let candidates: [RemotePath]
    switch lost.subject {
    case .set(let author, let sequence):
      guard sequence <= ends[lost.document.root]?[author] ?? 0, !isVacuumed(sequence, author, document) else {
        return
      }
      let folder = lost.document.changes(of: author)
      // It may lie where a person is to rename the folder.
      if isBlocked(folder) { return }
      if written.contains(where: {
        $0.parent == folder && $0.name.flatMap { SetName($0) }?.sequence == sequence
      }) {
        return
      }
      candidates = (other?.sets(in: folder) ?? []).filter { $0.sequence == sequence }
        .map { lost.document.file(of: $0, by: author) }
    case .value(let digits):
      candidates =
        RemoteName("\(digits).value").flatMap { LongValueName($0) }.map {
          [lost.document.file(of: $0)]
        } ?? []
    }
    guard written.isDisjoint(with: candidates) else { return }
    let count = plan.actions.count
    for path in candidates { takeFromOther(path) }
    if plan.actions.count == count, !takeFromStore(lost, document) { request(lost.subject, document) }
  }

  /// Whether a floor that cannot be read is why a set is gone: whole stores contain it, and no earlier one of its author is there.
  func isVacuumed(_ sequence: UInt64, _ author: AuthorID, _ document: DocumentReader) -> Bool {
    let hasDamagedFloor = document.floors.contains {
      $0.phase == .inForce && isDamaged(document.hierarchy.file(of: $0))
    }
    guard hasDamagedFloor else { return false }
    return !(document.setsByAuthor[author] ?? []).contains { $0.name.sequence < sequence }
      && verification.storeContents.contains { path, contents in
        path.parent == document.hierarchy.wholeStore && contents[author] >= sequence
      }
  }

  /// The last set of each author that must be there: a file whose name claims more, and that goes, is missed by nobody.
  private func ends() -> [RemotePath: [AuthorID: UInt64]] {
    documents.mapValues { document in
      let seen = verification.seen[document.hierarchy.root] ?? VersionVector()
      // Of an author who has a head, that tells.
      var ends = seen.sequences.filter { document.newestHeads[$0.key] == nil }
      for (author, head) in document.newestHeads { ends[author] = head.sequence }
      for (author, sets) in document.mentions {
        ends[author] = max(ends[author] ?? 0, sets.map(\.sequence).max() ?? 0)
      }
      for set in document.sets where !aside.contains(set.path) {
        ends[set.author] = max(ends[set.author] ?? 0, set.name.sequence)
      }
      return ends
    }
  }

  /// A request of a repair that lies there for so long was answered by whoever could, and by nobody if its subject is still missing.
  private static let patience = Duration.seconds(24 * 60 * 60)

  /// Asks the devices, as one of them would that has waited for so long that others step in for an author who is gone: whoever has it says it.
  private mutating func request(_ subject: ResendRequest.Subject, _ document: DocumentReader) {
    guard let protection = document.protection, !document.application.isLocked else { return }
    let devices = DocumentSyncManager.retirementCount
    // A device may have asked for it before, and have been answered: then nobody answers that name again.
    let before = document.repairRequests(for: subject)
    guard !before.contains(where: { $0.count >= devices && isFresh(document.hierarchy.file(of: $0)) }) else {
      return
    }
    for request in before {
      putAside(
        document.hierarchy.file(of: request), "It was asked for in vain; another request takes its place.")
    }
    let what =
      switch subject {
      case .set(let author, let sequence): "Set \(sequence) of \(author)"
      case .value(let digits): "The long value \(digits)"
      }
    let count = max(devices, (before.map(\.count).max() ?? 0) + 1)
    add(
      RepairAction(
        path: document.hierarchy.file(of: protection.request(asker: asker, subject: subject, count: count)),
        change: .write(.bytes([])),
        reason: "\(what) is lost; this asks whatever device has it to send it again."))
  }

  func isFresh(_ path: RemotePath) -> Bool {
    nodes[path]?.written.map { now - $0 < Self.patience } ?? true
  }
}
