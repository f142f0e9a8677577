import Foundation
import Inspection
import SyncProtocol
import Testing

/// Repairs of damaged remotes while somebody exchanges files, folders and links at any moment.
@Suite struct RandomExchangeTests {
  private static let seeds = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? 25 : 600

  @Test(arguments: 0..<seeds)
  func
    `nothing goes that the quarantine does not hold, nothing outside is read or written, and undoing gives back what was there`(
      _ seed: Int
    ) async throws
  {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let run = try RepairRun(stage, seed: UInt64(seed), remote: remote)
    let before = remote.contents
    let folder = remote.folder.file("quarantine")
    let exchanger = try RandomExchanger(remote, seed: UInt64(seed))
    let outside = exchanger.outside

    guard let plan = try? await run.inspector().planRepair() else { return }
    let quarantine = try Quarantine(newAt: folder)
    _ = try? await RemoteRepair(backend: exchanger, quarantine: quarantine).apply(plan)
    try exchanger.stop()

    let (there, kept) = (Set(remote.contents.values), try kept(in: folder))
    for (path, bytes) in before where !exchanger.taken.contains(bytes) {
      #expect(there.contains(bytes) || kept.contains(bytes), "\(path) is lost")
    }
    #expect(exchanger.outside == outside)
    #expect(!there.contains(RandomExchanger.secret) && !kept.contains(RandomExchanger.secret))

    guard let log = try? Quarantine(at: folder) else { return }
    let left = try await RemoteRepair(backend: remote.backend, quarantine: log).undo(anyway: true)
    let told = Set(left.compactMap { $0.path.map { "\($0)" } })
    for (path, bytes) in before where !exchanger.hasTouched(path) && !told.contains(path) {
      #expect(remote.bytes(path) == bytes, "\(path) is not given back")
    }
    #expect(exchanger.outside == outside)
  }

  private func kept(in folder: String) throws -> Set<Data> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(
      try names.filter { Int($0) != nil }.map { try Data(contentsOf: URL(filePath: "\(folder)/\($0)")) })
  }
}
