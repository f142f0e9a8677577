import BackendConformance
import Foundation
import Simulation
import SyncProtocol

/// A document under the name of a deleted one, whose files storage puts back beside it.
extension ProtocolRun {
  /// Devices with the first password, on storage of which all see the same.
  static func heirs(
    like first: SimulatedDevice, _ folder: URL, _ server: MemoryBackend, _ seed: UInt64,
    _ families: Set<ProtocolSimulation.Family>
  ) -> [SimulatedDevice] {
    guard families.contains(.deletions), families.isDisjoint(with: [.replicated, .passwords, .obstructions])
    else { return [] }
    return (0..<2).map { index in
      newcomer("heir-\(index)", like: first, folder, server, seed ^ 0x6865_6972 &+ UInt64(index), families)
    }
  }

  /// - Parameters:
  ///   - deleter: who has deleted the document.
  ///   - former: what lay there before.
  func succeed(_ deleter: SimulatedDevice, _ former: MemoryBackend) async throws {
    // Without encryption nothing is known of a deletion whose note storage has taken away.
    guard server.files.keys.contains(where: { $0.name.map { DeletionName($0) != nil } ?? false }) else {
      return
    }
    deleter.storage.begin(.init())
    if let error = await attempt(deletingWith: deleter) {
      outcome.violations.append("\(deleter.name) cannot delete once more: \(error)")
      return
    }
    // Drawn apart, so that what happens before is the same without it.
    var random = SeededRandomSource(seed: configuration.seed ^ 0x7375_6363)
    let remains = server.files
    for heir in heirs { heir.clock.advance(clock) }
    do {
      try await heirs[0].register()
    } catch {
      // What storage has lost of the application itself no member of a deleted document puts back.
      if losses == 0 { outcome.violations.append("nobody founds a document after the deleted one: \(error)") }
      return
    }
    outcome.successions += 1
    var expected: [String: String] = [:]
    do {
      for number in 0..<3 { expected.merge(try await write(number, heirs[0])) { $1 } }
      let isComplete = try await putBack(former, besides: remains, &random)
      try await heirs[1].register()
      for number in 0..<3 {
        for heir in heirs { expected.merge(try await write(number, heir)) { $1 } }
      }
      _ = try await heirs[0].uploadStore()
      _ = try await heirs[0].vacuum(grace: 0, absence: nil)
      try await compare(expected, mayFind: { !isComplete || $0.isOfDeletedDocument })
      if await told(deleter) != .documentDeleted {
        outcome.violations.append("\(deleter.name) goes on beside the document that has come after its own")
      }
      deleter.storage.begin(.init())
      try await deleter.deleteDocument()
      try await compare(expected, mayFind: { !isComplete && !$0.isOfDeletedDocument })
    } catch {
      outcome.violations.append("what comes after the deleted document is blocked: \(error)")
    }
  }

  private func write(_ number: Int, _ heir: SimulatedDevice) async throws -> [String: String] {
    let (name, text) = ("\(heir.name) \(number)", "text \(heir.clock.milliseconds)")
    _ = try heir.write(name, text)
    _ = try await heir.synchronize()
    return [name: text]
  }

  /// - Returns: whether all came back. Without encryption what lies among the heads always does: nothing else tells whose sets are.
  private func putBack(
    _ former: MemoryBackend, besides remains: [RemotePath: [UInt8]], _ random: inout SeededRandomSource
  ) async throws -> Bool {
    let gone = former.files.filter { remains[$0.key] == nil && server.files[$0.key] == nil }
      .sorted { "\($0.key)" < "\($1.key)" }
    let losesSome = Bool.random(using: &random)
    var isComplete = true
    for (path, bytes) in gone {
      let isHead = path.parent?.name == RemoteName("RecentSyncs")
      if losesSome, families.contains(.encrypted) || !isHead, random.oneIn(4) {
        isComplete = false
      } else {
        for count in 1..<path.names.count {
          try await server.makeDirectory(RemotePath(Array(path.names.prefix(count))))
        }
        try await server.upload(bytes, to: path)
      }
    }
    trace("storage puts back \(isComplete ? "all" : "some") of the deleted document")
    return isComplete
  }

  private func compare(_ expected: [String: String], mayFind: (SyncFinding) -> Bool) async throws {
    for _ in 0..<2 { for heir in heirs { _ = try await heir.synchronize() } }
    for heir in heirs {
      let findings = try await heir.synchronize().findings
      trace("\(heir.name): \(findings)")
      let others = findings.filter { !mayFind($0) }
      if !others.isEmpty {
        outcome.violations.append("\(heir.name) is told beside a deleted document: \(others)")
      }
      if try heir.notes() != expected {
        outcome.violations.append("\(heir.name) shows something else than its document holds")
      }
    }
  }
}

extension SyncFinding {
  fileprivate var isOfDeletedDocument: Bool { if case .headsOfDeleted = self { true } else { false } }
}
