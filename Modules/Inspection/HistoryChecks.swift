import ChangeTracking
import SyncProtocol

/// Checks that what a vacuum has removed can still be had: sets below a floor lie in whole stores alone.
struct HistoryChecks {
  let reader: DocumentReader
  let remote: String
  /// Of each author, the last set below the floors that are in force.
  let floor: VersionVector

  func run(_ stores: WholeStoreChecks.Found, _ verification: inout Verification) {
    let removed = removed
    // What the storage did not deliver, or nobody has opened, may be the one that holds them.
    guard !removed.sequences.isEmpty, stores.isComplete,
      !stores.contents.values.contains(where: { $0.covers(removed) })
    else { return }
    verification.lostHistory[reader.hierarchy.root] = removed
    verification.findings.append(
      Finding(
        .historyLost, path: reader.hierarchy.wholeStore.description,
        message:
          "Sets were removed because whole stores contain them, and no whole store that opens holds them any more, so nobody can join.",
        next:
          "Upload a whole store from a device that has the document, or put one back from a copy of the remote: ticds-inspect repair \(remote) --from COPY"
      ))
  }

  /// Of each author, the last set that is gone because whole stores contain it. What was said again is not lost.
  private var removed: VersionVector {
    let sets = Dictionary(grouping: reader.sets, by: \.author)
    var removed = VersionVector()
    for (author, bound) in floor.sequences {
      let present = Set((sets[author] ?? []).map(\.name.sequence))
      var last = bound
      // A vacuum that was cut off has left some.
      while last > 0, present.contains(last) { last -= 1 }
      if last > reader.superseded[author] ?? 0 { removed[author] = last }
    }
    return removed
  }
}
