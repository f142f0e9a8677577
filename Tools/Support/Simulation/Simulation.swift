import ChangeTracking
import Foundation

/// One run of several devices that edit, sync through unreliable storage, crash, and are restored or cloned.
///
/// Everything follows from the seed; a failure names it.
public struct Simulation: Sendable {
  /// What decides a run.
  public struct Configuration: Sendable {
    /// Where all randomness comes from.
    public var seed: UInt64
    /// Devices at the beginning.
    public var clients: Int
    /// Actions before storage settles.
    public var steps: Int
    /// Whether stores are put back to old copies, and copies live on beside the original.
    public var copiesStores: Bool

    /// A configuration.
    public init(seed: UInt64, clients: Int, steps: Int, copiesStores: Bool = true) {
      self.seed = seed
      self.clients = clients
      self.steps = steps
      self.copiesStores = copiesStores
    }
  }

  /// What a run found.
  public struct Outcome: Sendable {
    /// The seed.
    public var seed: UInt64
    /// Devices at the end.
    public var clients = 0
    /// Sets on the remote.
    public var sets = 0
    /// Objects that live at the end.
    public var objects = 0
    /// Crashes, restorations, clones and beginnings from snapshots that happened.
    public var crashes = 0, restorations = 0, clones = 0, joins = 0
    /// Tombstones that were forgotten before the end.
    public var collected = 0
    /// Violated invariants; empty if all is well.
    public var violations: [String] = []
  }

  /// What decides the run.
  public let configuration: Configuration

  /// Prepares a run.
  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Runs to the end, in a folder that is removed afterwards.
  ///
  /// - Throws: what stores and replicas throw; in a run without defects, nothing.
  public func run() throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "simulation-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try Run(configuration, folder: folder).play()
  }
}

/// The moving parts of one run.
private final class Run {
  private let configuration: Simulation.Configuration
  private let folder: URL
  private var random: SeededRandomSource
  private var clients: [SimulatedClient] = []
  private let remote: SimulatedRemote
  private var backups: [URL?] = []
  private var outcome: Simulation.Outcome

  init(_ configuration: Simulation.Configuration, folder: URL) throws {
    self.configuration = configuration
    self.folder = folder
    random = SeededRandomSource(seed: configuration.seed)
    outcome = Simulation.Outcome(seed: configuration.seed)
    // Names for the clones as well.
    remote = SimulatedRemote(
      clients: (0..<configuration.clients + 2).map { "client-\($0)" }, seed: configuration.seed &+ 1)
    for index in 0..<configuration.clients { add(try newClient("client-\(index)")) }
  }

  private func add(_ client: SimulatedClient) {
    clients.append(client)
    backups.append(nil)
  }

  private func newClient(_ name: String) throws -> SimulatedClient {
    // Up to ten years wrong, in either direction.
    let skew = Int64.random(in: -315_000_000_000...315_000_000_000, using: &random)
    return try SimulatedClient(
      name: name, folder: folder.appending(path: name),
      clock: SimulatedClock(UInt64(1_700_000_000_000 + skew)),
      seed: random.next())
  }

  func play() throws -> Simulation.Outcome {
    for _ in 0..<configuration.steps { try step() }
    try settle()
    return outcome
  }

  private func step() throws {
    let index = Int.random(in: clients.indices, using: &random)
    let client = clients[index]
    client.clock.advance(UInt64.random(in: 0...10_000, using: &random))
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<10: try client.edit(using: &random)
    case 10..<16:
      let crash = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<8, using: &random) : nil
      if try !client.synchronize(with: remote, policy: policy(), stepsUntilCrash: crash) {
        outcome.crashes += 1
        try client.restart()
      }
    case 16: try client.restart()
    case 17: if configuration.copiesStores { try copy(index) }
    case 18: try client.editElsewhere(using: &random)
    default:
      if Int.random(in: 0..<4, using: &random) == 0 { try collectTombstones(index) } else { remote.shuffle() }
    }
  }

  /// A device forgets what all devices have merged. Most of them have just synchronised, or there would be nothing to forget.
  private func collectTombstones(_ index: Int) throws {
    remote.isSettled = true
    defer { remote.isSettled = false }
    for client in (clients + clients).shuffled(using: &random) + [clients[index]] {
      if Int.random(in: 0..<4, using: &random) == 0, client !== clients[index] { continue }
      _ = try client.synchronize(with: remote, policy: policy(), stepsUntilCrash: nil)
    }
    let before = clients[index].replica.horizon()
    if let collected = try collect(clients[index]) {
      outcome.collected += collected.objects + collected.links
    }
    // What was copied before lies beyond the horizon and may not come back.
    if clients[index].replica.horizon() != before { backups = backups.map { _ in nil } }
  }

  /// Forgets what is below the true horizon; there is none while one author has several replicas.
  private func collect(_ client: SimulatedClient) throws -> CollectedTombstones? {
    let positions = try clients.map { try $0.replica.position() }
    guard Set(positions.map(\.author)).count == positions.count,
      try clients.allSatisfy({ try !remote.holdsUnknownWork(of: $0.replica, seenBy: $0.name) })
    else { return nil }
    return try client.replica.collectTombstones(
      below: Horizon(positions: positions, published: remote.published()))
  }

  private func policy() -> ConflictPolicy {
    let answers: [ConflictAnswer] = [.latest, .latest, .local, .remote]
    return .always(answers.randomElement(using: &random) ?? .latest)
  }

  private func copy(_ index: Int) throws {
    let target = folder.appending(path: "backup-\(index)")
    switch Int.random(in: 0..<7, using: &random) {
    case 6: try join(through: clients[index])
    case 0..<4:
      try clients[index].backUp(to: target)
      backups[index] = target
    case 4:
      guard let copy = backups[index] else { return }
      try clients[index].restore(from: copy)
      outcome.restorations += 1
    default:
      guard let copy = backups[index], clients.count < configuration.clients + 2 else { return }
      let name = "client-\(clients.count)"
      try FileManager.default.copyItem(at: copy, to: folder.appending(path: name))
      add(try newClient(name))
      outcome.clones += 1
    }
  }

  /// A new device begins with a snapshot of another.
  private func join(through client: SimulatedClient) throws {
    guard clients.count < configuration.clients + 2 else { return }
    let name = "client-\(clients.count)"
    let home = folder.appending(path: name)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let file = home.appending(path: "store.sqlite").path(percentEncoded: false)
    let snapshot = try client.replica.snapshot(to: file)
    add(try newClient(name))
    if try clients[clients.count - 1].replica.vector() != snapshot.contents {
      outcome.violations.append("\(name) does not hold what its snapshot said")
    }
    outcome.joins += 1
  }

  /// Storage delivers everything, everybody syncs until nothing moves, and all is compared.
  private func settle() throws {
    remote.isSettled = true
    var before = -1
    while before != (try remote.allSets().count) {
      before = try remote.allSets().count
      for client in clients {
        _ = try client.synchronize(with: remote, policy: .always(.latest), stepsUntilCrash: nil)
      }
    }
    for client in clients {
      _ = try client.synchronize(with: remote, policy: .always(.latest), stepsUntilCrash: nil)
    }
    let sets = try remote.allSets()
    outcome.sets = sets.count
    outcome.clients = clients.count
    let expected = ReferenceState(sets, schema: try SimulationModel.make().syncSchema).contents()
    outcome.objects = expected.count
    for client in clients {
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
  }

  private func difference(_ name: String, _ contents: [String], _ expected: [String]) -> String {
    let missing = Set(expected).subtracting(contents).sorted()
    let extra = Set(contents).subtracting(expected).sorted()
    return "\(name) differs.\n  expected: \(missing.joined(separator: "\n            "))\n  found:    "
      + extra.joined(separator: "\n            ")
  }
}
