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
      let open = Set(lost.filter { $0.document == document.hierarchy }.map(\.subject))
      for request in document.requests where isOfRepair(request, document) && !open.contains(request.subject)
      {
        putAside(document.hierarchy.file(of: request), "What it asks for is there.")
      }
    }
  }

  /// Whether nobody has asked who takes part.
  private func isOfRepair(_ request: ResendRequest, _ document: DocumentReader) -> Bool {
    document.isGenuine(request) == true && document.newestHeads[request.asker] == nil
      && lastSets[document.hierarchy.root]?[request.asker] == nil
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
  private func isVacuumed(_ sequence: UInt64, _ author: AuthorID, _ document: DocumentReader) -> Bool {
    let hasDamagedFloor = document.floors.contains {
      $0.phase == .inForce && isDamaged(document.hierarchy.file(of: $0))
    }
    guard hasDamagedFloor else { return false }
    return !document.sets.contains { $0.author == author && $0.name.sequence < sequence }
      && verification.storeContents.contains { path, contents in
        path.parent == document.hierarchy.wholeStore && contents[author] >= sequence
      }
  }

  /// The last set of each author that must be there: a file whose name claims more, and that goes, is missed by nobody.
  private func ends() -> [RemotePath: [AuthorID: UInt64]] {
    documents.mapValues { document in
      var ends = document.newestHeads.mapValues(\.sequence)
      for (author, sets) in document.mentions {
        ends[author] = max(ends[author] ?? 0, sets.map(\.sequence).max() ?? 0)
      }
      for set in document.sets where !aside.contains(set.path) {
        ends[set.author] = max(ends[set.author] ?? 0, set.name.sequence)
      }
      return ends
    }
  }

  /// Asks the devices, as one of them would.
  private mutating func request(_ subject: ResendRequest.Subject, _ document: DocumentReader) {
    guard let protection = document.protection, !document.application.isLocked else { return }
    // A device may have asked for it before, and have been answered: then nobody answers that name again.
    let isAsked = document.requests.contains { $0.subject == subject && isOfRepair($0, document) }
    guard !isAsked else { return }
    let what =
      switch subject {
      case .set(let author, let sequence): "Set \(sequence) of \(author)"
      case .value(let digits): "The long value \(digits)"
      }
    add(
      RepairAction(
        path: document.hierarchy.file(of: protection.request(asker: asker, subject: subject, count: 1)),
        change: .write(.bytes([])),
        reason: "\(what) is lost; this asks the device that has it to send it again."))
  }
}

extension DocumentReader {
  /// What devices ask for.
  fileprivate var requests: [ResendRequest] {
    node.all.compactMap { if case .request(let request) = $0.role { request } else { nil } }
  }
}
