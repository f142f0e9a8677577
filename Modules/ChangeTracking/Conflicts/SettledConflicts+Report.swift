extension SettledConflicts.Entry {
  /// Adds to a report what became of the edit.
  ///
  /// - Parameter client: identifier of this device's client.
  func add(to report: inout ApplyReport, client: String) {
    let here = ChangeSide(client: client, stamp: localStamp, effect: local)
    let there = ChangeSide(client: remoteClient, stamp: remoteStamp, effect: remote)
    func warning(_ kind: SyncWarning.Kind, remote: ChangeSide, local: ChangeSide) -> SyncWarning {
      SyncWarning(
        kind: kind, entity: entity, object: object, key: key.isEmpty ? nil : key, client: remoteClient,
        remote: remote, local: local)
    }
    switch outcome {
    case .local: addConflict(.local, to: &report, client)
    case .remote: addConflict(.remote, to: &report, client)
    case .custom: addConflict(.custom, to: &report, client)
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

  private func addConflict(_ outcome: Conflict.Outcome, to report: inout ApplyReport, _ client: String) {
    guard case .wrote(let here) = local, case .wrote(let there) = remote else { return }
    let settled =
      switch outcome {
      case .local: here
      case .remote: there
      case .custom: settled ?? here
      }
    report.conflicts.append(
      Conflict(
        id: Conflict.ID(entity: entity, object: object, key: key, remote: remoteStamp, local: localStamp),
        localContent: here, remoteContent: there, localClient: client, remoteClient: remoteClient,
        outcome: outcome, settledContent: settled))
  }

  /// A conflict that a merge has decided; `nil` if it is open.
  init?(_ conflict: Conflict) {
    let outcome: Outcome
    switch conflict.outcome {
    case .local: outcome = .local
    case .remote: outcome = .remote
    case .custom: outcome = .custom
    case nil: return nil
    }
    let isAttribute = if case .target = conflict.localContent { false } else { true }
    self.init(
      outcome: outcome, entity: conflict.id.entity, object: conflict.id.object, key: conflict.id.key,
      isAttribute: isAttribute, local: .wrote(conflict.localContent), localStamp: conflict.local,
      remote: .wrote(conflict.remoteContent), remoteStamp: conflict.id.remote,
      remoteClient: conflict.remoteClient, settled: outcome == .custom ? conflict.settledContent : nil)
  }

  /// An edit that met a deletion in a merge; `nil` of warnings that tell something else, which the same merge tells again.
  init?(_ warning: SyncWarning) {
    guard let object = warning.object, let here = warning.local, let there = warning.remote else {
      return nil
    }
    let (outcome, isAttribute): (Outcome, Bool)
    switch warning.kind {
    case .attributesOfDeletedObjectChangedHere: (outcome, isAttribute) = (.deletedByRemote, true)
    case .relationshipsOfDeletedObjectChangedHere: (outcome, isAttribute) = (.deletedByRemote, false)
    case .attributesOfObjectDeletedHereChanged: (outcome, isAttribute) = (.deletedHere, true)
    case .relationshipsOfObjectDeletedHereChanged: (outcome, isAttribute) = (.deletedHere, false)
    default: return nil
    }
    self.init(
      outcome: outcome, entity: warning.entity, object: object, key: warning.key ?? "",
      isAttribute: isAttribute, local: here.effect, localStamp: here.stamp ?? .zero, remote: there.effect,
      remoteStamp: there.stamp ?? .zero, remoteClient: warning.client)
  }
}
