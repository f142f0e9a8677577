import ChangeTracking
import Foundation

/// Stores that are restored, cloned, begun from snapshots, and that forget deletions.
extension SimulationRun {
  func copy(_ index: Int) throws {
    guard setting.features.has(.copies) else { return }
    let target = folder.appending(path: "backup-\(index)")
    switch Int.random(in: 0..<7, using: &random) {
    case 6: try join(through: clients[index])
    case 0..<4:
      clients[index].trace("is backed up")
      try clients[index].freezeBeforeLoss()
      try clients[index].backUp(to: target)
      backups[index] = target
    case 4:
      guard let copy = backups[index] else { return }
      clients[index].trace("is restored")
      try clients[index].restore(from: copy)
      outcome.restorations += 1
    default:
      guard let copy = backups[index], clients.count < configuration.devices + 2 else { return }
      let name = "client-\(clients.count)"
      clients[index].trace("is cloned as \(name)")
      try FileManager.default.copyItem(at: copy, to: folder.appending(path: name))
      // The copy may be older than what the device has become.
      add(try newClient(name, like: clients[index]))
      outcome.clones += 1
    }
  }

  /// A new device begins with a snapshot of another.
  private func join(through client: SimulatedClient) throws {
    guard setting.features.takesSnapshots, clients.count < configuration.devices + 2 else { return }
    let name = "client-\(clients.count)"
    client.trace("is joined by \(name)")
    let home = folder.appending(path: name)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let snapshot = try client.snapshot(to: home)
    add(try newClient(name, like: client))
    if try clients[clients.count - 1].replica.vector() != snapshot.contents {
      outcome.violations.append("\(name) does not hold what its snapshot said")
    }
    outcome.joins += 1
  }

  /// A device merges a copy of another's store, as one does that comes back after a vacuum.
  func mergeCopy(_ index: Int) throws {
    guard setting.features.takesSnapshots,
      let other = clients.indices.filter({ $0 != index }).randomElement(using: &random)
    else { return }
    let (client, maker) = (clients[index], clients[other])
    // What versions that contradict each other say of one name cannot be taken apart in a copy.
    guard maker.line == client.line else { return }
    let home = folder.appending(path: "copy-\(random.next())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let snapshot = try maker.snapshot(to: home)
    if try client.replica.isBehind(snapshot.horizon) { return }
    client.trace("merges a copy of \(maker.name)")
    switch try merge(snapshot.path, into: client) {
    case .merged(let report):
      client.checkTold(in: report)
      if report.warnings.contains(where: { $0.kind == .contradictoryNames }) {
        client.toldOfContradiction = true
      }
      client.seen = max(client.seen, maker.seen)
      outcome.joins += 1
    case .undecided(let conflicts):
      outcome.violations.append(
        "\(client.name): merging a copy asks \(conflicts.count) questions that were answered")
    case .unusable(let reason):
      outcome.violations.append("\(client.name) cannot use a copy of \(maker.name): \(reason)")
    }
  }

  /// Merges a copy, by a policy that has an answer to everything or by asking, as whoever takes the same copy once more with the answers.
  private func merge(_ copy: String, into client: SimulatedClient) throws -> Replica.CopyOutcome {
    guard setting.features.has(.answers), random.oneIn(2) else {
      return try client.replica.mergeCopy(at: copy, policy: policy(), along: { _, _, _ in })
    }
    var answers: [Conflict.ID: ConflictAnswer] = [:]
    while true {
      let outcome = try client.replica.mergeCopy(at: copy, policy: .answers(answers), along: { _, _, _ in })
      guard case .undecided(let conflicts) = outcome else { return outcome }
      client.trace("is asked \(conflicts.count) questions")
      let known = answers.count
      for conflict in conflicts where answers[conflict.id] == nil {
        answers[conflict.id] = [.latest, .local, .remote].randomElement(using: &random) ?? .latest
      }
      if answers.count == known { return outcome }
    }
  }

  // MARK: Forgetting

  /// A device forgets what all devices have merged. Most of them have just synchronised, or there would be nothing to forget.
  func collectTombstones(_ index: Int) throws {
    guard setting.features.has(.collection) else { return }
    remote.isSettled = true
    defer { remote.isSettled = false }
    for client in (clients + clients).shuffled(using: &random) + [clients[index]] {
      if Int.random(in: 0..<4, using: &random) == 0, client !== clients[index] { continue }
      _ = try client.synchronize(with: remote, plan(stepsUntilCrash: nil))
    }
    let before = try clients[index].replica.horizon()
    let mayBeAbsent = setting.features.has(.farBehind) && setting.features.takesSnapshots
    let absent = mayBeAbsent && random.oneIn(2) ? leftOut(besides: index) : nil
    if let collected = try collect(clients[index], without: absent) {
      outcome.collected += collected.objects + collected.links
    }
    let horizon = try clients[index].replica.horizon()
    // What was copied before lies beyond the horizon and may not come back.
    if horizon != before { backups = backups.map { _ in nil } }
    if let absent, try clients[absent].replica.isBehind(horizon) {
      clients[absent].trace("is beyond the horizon and begins anew")
      try clients[absent].beginAnew(from: clients[index])
      // The copy may be of another line of versions.
      if setting.latest.count > 1 { backups[absent] = nil }
    }
  }

  /// A device that has not been seen for long.
  private func leftOut(besides index: Int) -> Int? {
    clients.indices.filter { $0 != index }.randomElement(using: &random)
  }

  /// Forgets what is below the true horizon; there is none while one author has several replicas.
  func collect(_ client: SimulatedClient, without absent: Int? = nil) throws -> CollectedTombstones? {
    let present = clients.indices.filter { $0 != absent }.map { clients[$0] }
    let positions = try present.map { try $0.replica.position() }
    guard Set(try clients.map { try $0.replica.author }).count == clients.count,
      try clients.allSatisfy({ try !remote.holdsUnknownWork(of: $0.replica, seenBy: $0.name) })
    else { return nil }
    client.trace("forgets deletions")
    return try client.replica.collectTombstones(
      below: Horizon(positions: positions, published: remote.published()))
  }
}
