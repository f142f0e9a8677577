import ChangeTracking
import SyncProtocol

/// What a vacuum has removed and no whole store holds any more: another copy of the remote has a whole store with it, or the sets.
extension RepairPlanner {
  mutating func restoreHistory(below folder: RemotePath) {
    guard let root = folder.parent, let document = documents[root], let lost = verification.lostHistory[root]
    else { return }
    if let other, other.isSame(document) {
      let store = other.store(of: document, for: lost)
      if let store {
        // What lies here under its name does not open, or nothing were lost.
        if nodes[store.path] != nil { putAside(store.path, "No device can begin with this whole store.") }
        takeFromOther(store.path)
      }
      // One that was made before the vacuum contains less; the sets that it lacks lie beside it.
      for (author, last) in lost.sequences.sorted(by: { $0.key < $1.key }) {
        let contained = store?.contents[author] ?? 0
        for set in other.sets(in: document.hierarchy.changes(of: author))
        where set.sequence > contained && set.sequence <= last {
          takeFromOther(document.hierarchy.file(of: set, by: author))
        }
      }
    } else if kept != nil {
      takeHistoryFromStore(lost, document)
    }
  }

  /// First sets that are not there though no floor says so: who has applied some of them waits for the rest.
  mutating func restoreBeginnings(below folder: RemotePath) {
    guard let root = folder.parent, let document = documents[root], let other, other.isSame(document),
      let unsaid = verification.unsaidFloors[root]
    else { return }
    for (author, last) in unsaid.sequences.sorted(by: { $0.key < $1.key }) {
      let present = Set((document.setsByAuthor[author] ?? []).map(\.name.sequence))
      for set in other.sets(in: document.hierarchy.changes(of: author))
      where set.sequence <= last && !present.contains(set.sequence) {
        takeFromOther(document.hierarchy.file(of: set, by: author))
      }
    }
  }

  /// A part of the sets serves nobody, so all are put back or none.
  private mutating func takeHistoryFromStore(_ lost: VersionVector, _ document: DocumentReader) {
    // A floor can claim any number.
    let limit = UInt64(Self.lossLimit)
    guard lost.sequences.values.allSatisfy({ $0 <= limit }), lost.total <= limit else { return }
    let isSealed = document.application.keys.ring != nil
    let present = document.setsByAuthor.mapValues { Set($0.map(\.name.sequence)) }
    let subjects = lost.sequences.sorted { $0.key < $1.key }.flatMap { author, last in
      (1...last).filter { present[author]?.contains($0) != true }.map { (author, $0) }
    }
    guard
      subjects.allSatisfy({ author, sequence in
        kept?.set(sequence, of: author, sealed: isSealed) != nil
      })
    else { return }
    for (author, sequence) in subjects {
      _ = takeFromStore(
        .init(document: document.hierarchy, subject: .set(author: author, sequence: sequence)), document)
    }
  }
}
