import ChangeTracking

/// The end of a run: everything is delivered, and all is compared.
extension SimulationRun {
  /// Rounds after which devices that still have something to say are taken never to come to rest.
  private static let roundLimit = 30

  func settle() throws {
    remote.isSettled = true
    for client in clients { try client.update() }
    var before = -1
    var rounds = 0
    while before != (try remote.allSets().count) {
      before = try remote.allSets().count
      rounds += 1
      guard rounds < Self.roundLimit else {
        outcome.violations.append("The devices do not come to rest.")
        return
      }
      for client in clients { _ = try client.synchronize(with: remote) }
    }
    for client in clients { _ = try client.synchronize(with: remote) }
    let sets = try remote.allSets()
    outcome.sets = sets.count
    outcome.clients = clients.count
    outcome.violations += RepeatedInsertions(sets).lines
    var expected: [[String]] = []
    for line in 0..<max(setting.latest.count, 1) { expected.append(try contents(of: sets, line: line)) }
    outcome.objects = expected[0].count
    outcome.digest = PlainText.sum(expected.joined().joined(separator: "\n").utf8)
    for client in clients {
      try compare(client, with: expected[client.line])
      let isContradicted = sets.contains { setting.contradicts($0, line: client.line) }
      // The last report may have come before the last version.
      if isContradicted { _ = try client.apply([], policy: .always(.latest)) }
      if isContradicted, !client.toldOfContradiction {
        outcome.violations.append(
          "\(client.name) does not say that versions of the model contradict each other")
      }
    }
  }

  /// What must show in a line's latest version.
  private func contents(of sets: [ChangeSet], line: Int) throws -> [String] {
    let model = try setting.model(version: setting.latestVersion, line: line)
    return ReferenceState(
      sets, schema: model.syncSchema, rules: ReferenceRules(model, setting.renaming(line: line)),
      longValues: remote.allLongValues
    ).contents()
  }

  private func compare(_ client: SimulatedClient, with expected: [String]) throws {
    let contents = try client.contents()
    if contents != expected { outcome.violations.append(difference(client.name, contents, expected)) }
    for fault in try client.faults() { outcome.violations.append("\(client.name): \(fault)") }
    _ = try collect(client)
    let left = try client.contents()
    if left != contents {
      outcome.violations.append("\(client.name) shows something else without tombstones")
    }
    let status = try client.replica.status()
    if !status.isPushed { outcome.violations.append("\(client.name) still has something to push") }
  }

  private func difference(_ name: String, _ contents: [String], _ expected: [String]) -> String {
    let missing = Set(expected).subtracting(contents).sorted()
    let extra = Set(contents).subtracting(expected).sorted()
    return "\(name) differs.\n  expected: \(missing.joined(separator: "\n            "))\n  found:    "
      + extra.joined(separator: "\n            ")
  }
}
