import ChangeTracking
import Foundation

/// The moving parts of one run.
final class SimulationRun {
  let configuration: Simulation.Configuration
  let setting: Setting
  let folder: URL
  let remote: SimulatedRemote
  var random: SeededRandomSource
  var clients: [SimulatedClient] = []
  /// Of each client, a copy of its store.
  var backups: [URL?] = []
  var outcome: Simulation.Outcome

  init(_ configuration: Simulation.Configuration, folder: URL) {
    self.configuration = configuration
    self.folder = folder
    setting = Setting(configuration)
    random = SeededRandomSource(seed: configuration.seed)
    outcome = Simulation.Outcome(seed: configuration.seed, families: setting.features.text)
    // Names for the clones as well.
    remote = SimulatedRemote(
      clients: (0..<configuration.devices + 2).map { "client-\($0)" }, seed: configuration.seed &+ 1,
      forgesTwins: setting.features.has(.forgedTwins),
      twinsKeepEntities: [Simulation.Family.freedEntities, .subEntityMoves, .contradictingNames].contains(
        where: setting.features.has))
  }

  func play() -> Simulation.Outcome {
    traceModel()
    do {
      for index in 0..<configuration.devices { add(try newClient("client-\(index)")) }
      for step in 0..<configuration.steps {
        setting.trace("step \(step)")
        try self.step()
      }
      setting.trace("settle")
      try settle()
    } catch {
      outcome.violations.append("The run ended with an error: \(error)")
    }
    outcome.violations += clients.flatMap(\.findings)
    outcome.refusals = clients.reduce(0) { $0 + $1.refusals }
    return outcome
  }

  private func traceModel() {
    setting.trace("families \(setting.features.text)")
    for entity in (setting.versions + setting.latest.map(\.model)).flatMap(\.declarations) {
      let properties = entity.properties.map { property in
        property.asRelationship.map {
          let order = $0.isOrdered ? " ordered" : ""
          return "\($0.name):\($0.destination).\($0.inverse ?? "-")\($0.isToMany ? " many" : "")\(order)"
        } ?? property.name + (property.asAttribute?.userInfo[SyncModelKey.merge].map { "(\($0))" } ?? "")
      }
      setting.trace(
        "\(entity.name) < \(entity.parent ?? "-")\(entity.isAbstract ? " abstract" : ""): \(properties.joined(separator: ", "))"
      )
    }
  }

  func add(_ client: SimulatedClient) {
    clients.append(client)
    backups.append(nil)
  }

  /// - Parameter other: whose store it begins with.
  func newClient(_ name: String, like other: SimulatedClient? = nil) throws -> SimulatedClient {
    // Up to ten years wrong, in either direction.
    let skew =
      setting.features.has(.equalClocks)
      ? 0 : Int64.random(in: -315_000_000_000...315_000_000_000, using: &random)
    let client = try SimulatedClient(
      name: name, folder: folder.appending(path: name),
      clock: SimulatedClock(UInt64(1_700_000_000_000 + skew)),
      seed: random.next(), setting: setting, version: other?.version ?? 0,
      line: other?.line ?? (setting.latest.count > 1 ? clients.count % setting.latest.count : 0))
    client.toldOfContradiction = other?.toldOfContradiction ?? false
    return client
  }

  private func step() throws {
    let index = Int.random(in: clients.indices, using: &random)
    let client = clients[index]
    if setting.features.has(.equalClocks) {
      if random.oneIn(6) { return try copy(index) }
    } else {
      client.clock.advance(UInt64.random(in: 0...10_000, using: &random))
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<10: try client.edit(using: &random)
    case 10..<16:
      let crash = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<8, using: &random) : nil
      try synchronize(client, stepsUntilCrash: crash)
    case 16 where setting.features.has(.mergedCopies) && random.oneIn(2): try mergeCopy(index)
    case 16: try update(client)
    case 17: try copy(index)
    case 18: try client.editElsewhere(using: &random)
    default:
      if Int.random(in: 0..<4, using: &random) == 0 { try collectTombstones(index) } else { remote.shuffle() }
      try disturb(client)
    }
  }

  private func update(_ client: SimulatedClient) throws {
    if setting.latestVersion == 0 { return try client.restart() }
    try client.update(toNext: setting.features.has(.laterVersions) && random.oneIn(2))
  }

  private func synchronize(_ client: SimulatedClient, stepsUntilCrash: Int?) throws {
    do {
      var plan = plan(stepsUntilCrash: stepsUntilCrash)
      plan.endsInMerge = setting.features.has(.crashes) && random.oneIn(6)
      if try client.synchronize(with: remote, plan) { return }
      client.trace("crashes")
      try client.restart()
    } catch let end as SimulatedClient.Ended {
      client.trace("crashes in a merge")
      try client.restore(from: end.copy)
    }
    outcome.crashes += 1
  }

  /// How a synchronisation goes, apart from where it ends.
  func plan(stepsUntilCrash: Int?) -> SimulatedClient.SyncPlan {
    var plan = SimulatedClient.SyncPlan(policy: policy(), stepsUntilCrash: stepsUntilCrash)
    plan.answersEach = setting.features.has(.answers) && random.oneIn(3)
    plan.isInterrupted = setting.features.has(.crashes) && random.oneIn(4)
    plan.isTakenBack = setting.features.has(.undoneMerges) && random.oneIn(4)
    plan.keepsInverses = setting.features.has(.lateUndo) && !plan.isTakenBack
    return plan
  }

  func policy() -> ConflictPolicy {
    var answers: [ConflictAnswer] = [.latest, .latest, .local, .remote]
    if setting.features.has(.answers) { answers.append(.value(.null)) }
    return .always(answers.randomElement(using: &random) ?? .latest)
  }

  /// Clocks and storage misbehave.
  private func disturb(_ client: SimulatedClient) throws {
    if setting.features.clocksJump, random.oneIn(2) {
      let decade: Int64 = 315_000_000_000
      let steps = [-1, -1_500, -1_500, -3_600_000, 3_600_000, -decade, decade]
      let step = steps.randomElement(using: &random) ?? 0
      client.trace("clock steps by \(step) ms")
      client.clock.step(step)
    }
    if setting.features.has(.farClocks), random.oneIn(2) {
      // Before, at and beyond the times up to which clocks follow others and count at all.
      let years = [0, 1, 2_000, 2_228, 2_229, 2_230, 4_458, 4_459, 4_460, 8_000]
      let year = years.randomElement(using: &random) ?? 0
      client.trace("clock shows \(1970 + year)")
      client.clock.set(UInt64(year) * 31_556_952_000)
    }
    if setting.features.has(.lostFiles), random.oneIn(2) { remote.loseOne() }
  }
}
