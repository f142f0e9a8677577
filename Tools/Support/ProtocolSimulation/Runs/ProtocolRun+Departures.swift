import BackendConformance
import ChangeTracking
import Foundation
import Simulation
import SyncProtocol

/// Devices that go for good, without a word, when the others have everything that they wrote. Nobody misses anything then, and so nobody asks
/// for what storage loses of it; whoever joins later needs it all the same.
extension ProtocolRun {
  /// Drawn apart, so that what happens before it joins is the same without it.
  static func newcomer(
    _ name: String, like first: SimulatedDevice, _ folder: URL, _ server: MemoryBackend,
    _ seed: UInt64, _ families: Set<ProtocolSimulation.Family>
  ) -> SimulatedDevice {
    var random = SeededRandomSource(seed: seed)
    let files = families.contains(.replicated) ? MemoryBackend() : server
    return SimulatedDevice(
      name: name, folder: folder.path(percentEncoded: false),
      storage: SimulatedStorage(files, seed: random.next()), clock: SimulatedClock(start),
      seed: random.next(), password: first.password,
      wholeStores: families.contains(.wholeStores) ? WholeStorePolicy(sets: 4, relativeSize: 0) : nil)
  }

  /// Somebody comes who knows nothing of what went before.
  private func join() -> Bool {
    guard let latecomer else { return false }
    latecomer.clock.advance(clock)
    devices.append(latecomer)
    return true
  }

  func goForGood() async throws {
    guard members.count > 1 else { return }
    let former = server.copy()
    // What storage lost by itself nobody looks for until somebody needs it.
    let isWhole = losses == 0
    for device in members where random.oneIn(2) { try edit(device) }
    guard try await haveAll() else { return }
    let leaving = members.shuffled(using: &random).prefix(.random(in: 1..<members.count, using: &random))
    var authors: [AuthorID] = []
    for device in leaving {
      authors.append(try await device.author())
      trace("\(device.name) goes for good")
      device.isGone = true
    }
    let isRolledBack = !families.contains(.replicated) && random.oneIn(2)
    if isRolledBack {
      trace("the storage is rolled back")
      server.restore(former)
      noteLoss()
    } else {
      try await lose(writtenBy: authors)
    }
    guard try await goOn(), join() else { return }
    // A remote that went back its members have filled by then.
    if isRolledBack, isWhole, random.oneIn(2) {
      trace("all others go, too")
      for device in members { device.isGone = true }
    }
    try await welcome()
  }

  /// - Returns: whether everybody has what the others have.
  private func haveAll() async throws -> Bool {
    let blocked = try await synchronizeAll(rounds: Self.rounds)
    outcome.violations += blocked
    if blocked.isEmpty { try await compareTidy() }
    return outcome.violations.isEmpty
  }

  /// Storage loses some of the files that bear the names of authors.
  private func lose(writtenBy authors: [AuthorID]) async throws {
    let names = authors.map(\.description)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let written = Set(copies.flatMap(\.files.keys)).filter { path in
        !Self.isRecord(path) && names.contains { path.description.contains($0) }
      }
      guard let path = written.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random) else { return }
      trace("the storage loses \(path)")
      noteLoss()
      for copy in copies where copy.files[path] != nil { try await copy.remove(path) }
    }
  }

  /// Days after which whoever is left has said again what is lost, when his turn comes last.
  private static let patience = 30

  /// Those who are left go on for a month.
  private func goOn() async throws -> Bool {
    for _ in 0..<Self.patience {
      passDay()
      let blocked = try await synchronizeAll(rounds: 1)
      guard blocked.isEmpty else {
        outcome.violations += blocked
        return false
      }
    }
    return true
  }

  /// Somebody joins, and must show what was saved by those who had everything. Of stores that were restored it may find more than these knew.
  private func welcome() async throws {
    outcome.latecomers += 1
    var blocked = try await synchronizeAll(rounds: Self.rounds)
    for _ in 0..<14 where blocked.isEmpty && isWaiting {
      passDay()
      blocked = try await synchronizeAll(rounds: 1)
    }
    blocked = try await waitForMonths(blocked)
    // Whoever lacks a long text asks several times until others than its writer send it.
    for _ in 0..<Self.rounds where blocked.isEmpty {
      guard try await !awaitedInVain().isEmpty else { break }
      blocked = try await synchronizeAll(rounds: 1)
    }
    outcome.violations += blocked
    guard blocked.isEmpty else { return }
    try await compareTidy()
  }

  /// What replicators have put aside is a person's to remove.
  private func compareTidy() async throws {
    for device in devices { device.storage.removeForeign() }
    try await compare()
  }
}
