import ChangeTracking
import SyncProtocol

/// Checks that what a vacuum has removed can still be had: sets below a floor lie in whole stores alone.
struct HistoryChecks {
  let reader: DocumentReader
  let remote: String
  /// Of each author, the last set below the floors that are in force.
  let floor: VersionVector

  func run(_ stores: WholeStoreChecks.Found, _ verification: inout Verification) async {
    let removed = removed
    // What the storage did not deliver, or nobody has opened, may be the one that holds them.
    guard !removed.sequences.isEmpty, stores.isComplete, reader.areHeadsListed, reader.areSetsListed,
      reader.application.unlisted.isListed(reader.hierarchy.wholeStore),
      !stores.contents.values.contains(where: { $0.covers(removed) })
    else { return }
    verification.lostHistory[reader.hierarchy.root] = removed
    verification.findings.append(await finding(removed))
  }

  /// A floor is small and comes early, a whole store is large and comes late: while somebody has what was removed, nothing is lost.
  private func finding(_ removed: VersionVector) async -> Finding {
    let path = reader.hierarchy.wholeStore.description
    let restoring = "put one back from a copy of the remote: ticds-inspect repair \(remote) --from COPY"
    let holders = DeviceNames(
      await reader.presentHeads { !$0.isOfRepair && $0.held.covers(removed) })
    let what = "Sets were removed because whole stores contain them, and no whole store that opens"
    if holders.count > 0 {
      return Finding(
        .historyAwaited, path: path,
        message:
          "\(what) and holds them is here: it is late, or lost. Nobody can join until one comes; \(holders) has all that was removed.",
        next:
          "Wait until the storage has delivered all files. If no whole store comes, upload one from a device that has all, or \(restoring)"
      )
    }
    if isRemoverAbsent {
      return Finding(
        .historyAwaited, path: path,
        message:
          "\(what) and holds them is here, nor is the head of the device that removed them: the remote has not arrived as a whole, or they are lost. Nobody can join until they come.",
        next:
          "Wait until the storage has delivered all files, then run: ticds-inspect verify \(remote). If nothing comes, sync a device that has the document, or \(restoring)"
      )
    }
    return Finding(
      .historyLost, path: path,
      message:
        "\(what) holds them any more, and no device that takes part says that it has them, so nobody can join.",
      next: "Upload a whole store from a device that has the document, or \(restoring)")
  }

  /// Whether a device that has published a floor, and so had all below it, shows no head although nobody removed it or says its sets again.
  private var isRemoverAbsent: Bool {
    let removed = reader.removed
    return reader.floors.contains { floor in
      floor.phase == .inForce && reader.newestHeads[floor.author] == nil && !removed.contains(floor.author)
        && reader.superseded[floor.author] == nil
    }
  }

  /// Of each author, the last set that is gone because whole stores contain it. What was said again is not lost.
  private var removed: VersionVector {
    var removed = VersionVector()
    for (author, bound) in floor.sequences {
      let present = Set((reader.setsByAuthor[author] ?? []).map(\.name.sequence))
      var last = bound
      // A vacuum that was cut off has left some.
      while last > 0, present.contains(last) { last -= 1 }
      if last > reader.superseded[author] ?? 0 { removed[author] = last }
    }
    return removed
  }
}
