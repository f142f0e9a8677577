extension SettledConflicts.Entry {
  /// Adds to a report what became of the edit.
  ///
  /// - Parameter client: identifier of this device's client.
  func add(to report: inout ApplyReport, client: String) {
    let here = ChangeSide(client: client, stamp: localStamp, effect: .wrote(local))
    let there = ChangeSide(client: remoteClient, stamp: remoteStamp, effect: .wrote(remote))
    func warning(_ kind: SyncWarning.Kind, remote: ChangeSide, local: ChangeSide) -> SyncWarning {
      SyncWarning(
        kind: kind, entity: entity, object: object, key: key, client: remoteClient, remote: remote,
        local: local)
    }
    switch outcome {
    case .local, .remote:
      report.conflicts.append(
        Conflict(
          id: Conflict.ID(
            entity: entity, object: object, key: key, remote: remoteStamp, local: localStamp),
          localContent: local, remoteContent: remote, localClient: client,
          remoteClient: remoteClient, outcome: outcome == .local ? .local : .remote,
          settledContent: outcome == .local ? local : remote))
    case .deletedByRemote:
      var deletion = there
      deletion.effect = .deleted
      report.warnings.append(
        warning(
          isAttribute ? .attributesOfDeletedObjectChangedHere : .relationshipsOfDeletedObjectChangedHere,
          remote: deletion, local: here))
    case .deletedHere:
      var deletion = here
      deletion.effect = .deleted
      report.warnings.append(
        warning(
          isAttribute ? .attributesOfObjectDeletedHereChanged : .relationshipsOfObjectDeletedHereChanged,
          remote: there, local: deletion))
    }
  }
}
