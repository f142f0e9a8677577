import FileManagerBackend
import Foundation
import SyncProtocol
import Testing

@testable import Inspection

/// What a repair asks devices for: whoever has it answers, the request goes when it is met, and it can be made again.
@Suite struct RepairRequestTests {
  /// Three devices have merged two sets of the first, and the first of these sets is lost.
  private func holed(encrypted: Bool) async throws -> (workshop: Workshop, set: URL, bytes: Data) {
    let workshop = try await Workshop(seed: 1, encrypted: encrypted)
    let devices = workshop.devices
    for number in 1...2 {
      workshop.advance()
      try devices[0].context.insert(Part.self).name = "part \(number)"
      try devices[0].context.save()
      for device in devices { try await device.sync() }
    }
    let set = try #require(try files(workshop) { $0.contains("/0000000001-") && $0.hasSuffix(".set") }.first)
    let bytes = try Data(contentsOf: URL(filePath: set))
    try FileManager.default.removeItem(atPath: set)
    return (workshop, URL(filePath: set), bytes)
  }

  private func files(_ workshop: Workshop, where isWanted: (String) -> Bool) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: workshop.remote).filter(isWanted)
      .map { "\(workshop.remote)/\($0)" }.sorted()
  }

  private func requests(_ workshop: Workshop) throws -> [String] {
    try files(workshop) { $0.hasSuffix(".resend") }
  }

  private func apply(_ plan: RepairPlan, _ workshop: Workshop) async throws {
    let failures = try await RemoteRepair(
      backend: FileManagerBackend(folder: workshop.remote),
      quarantine: Quarantine(newAt: workshop.folder.file(UUID().uuidString))
    ).apply(plan)
    #expect(failures.isEmpty)
  }

  @Test(arguments: [true, false], [true, false])
  func `others answer for an author who is gone, and the request goes with the answer`(
    encrypted: Bool, isAuthorGone: Bool
  ) async throws {
    let (workshop, _, _) = try await holed(encrypted: encrypted)
    let devices = isAuthorGone ? Array(workshop.devices.dropFirst()) : workshop.devices
    #expect(try await workshop.inspector.verify().findings.contains { $0.code == .gap })
    try await apply(workshop.inspector.planRepair(), workshop)
    #expect(try requests(workshop).count == 1)

    for _ in 1...4 {
      workshop.advance()
      for device in devices { try await device.sync() }
    }

    let healed = try await workshop.inspector.verify()
    #expect(healed.outcome == .healthy, "\(healed.findings)")
    #expect(try requests(workshop).isEmpty)
    #expect(try await workshop.inspector.planRepair().actions.isEmpty)
    let newcomer = try await workshop.join("newcomer")
    try await newcomer.sync()
    #expect(try newcomer.contents() == devices[0].contents())
  }

  @Test func `a request for what came by itself goes with the next repair`() async throws {
    let (workshop, set, bytes) = try await holed(encrypted: false)
    try await apply(workshop.inspector.planRepair(), workshop)
    #expect(try requests(workshop).count == 1)

    try bytes.write(to: set)

    #expect(try await workshop.inspector.verify().findings.map(\.code).contains(.requestMet))
    let plan = try await workshop.inspector.planRepair()
    #expect(plan.actions.map(\.change) == [.putAside], "\(plan.actions)")
    try await apply(plan, workshop)
    let left = try await workshop.inspector.verify().findings
    #expect(!left.contains { $0.code == .requestMet }, "\(left)")
    #expect(try requests(workshop).isEmpty)
  }

  @Test func `what was asked for in vain is asked for again, a day later`() async throws {
    let (workshop, _, _) = try await holed(encrypted: false)
    try await apply(workshop.inspector.planRepair(), workshop)
    #expect(try await workshop.inspector.planRepair().actions.isEmpty)
    let first = try #require(try requests(workshop).first)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -25 * 60 * 60)], ofItemAtPath: first)

    let plan = try await workshop.inspector.planRepair()
    #expect(plan.actions.map(\.change) == [.putAside, .write(.bytes([]))], "\(plan.actions)")
    try await apply(plan, workshop)

    let second = try requests(workshop)
    #expect(second.count == 1 && second != [first])
    #expect(try await workshop.inspector.planRepair().actions.isEmpty)
  }

  @Test func `what is missing is told of once for each author, with a way to ask for it`() async throws {
    let workshop = try await Workshop(seed: 1, encrypted: false)
    let devices = workshop.devices
    workshop.advance()
    try devices[0].context.insert(Part.self).name = "part"
    try devices[0].context.save()
    for device in devices { try await device.sync() }
    let sets = try files(workshop) { $0.hasSuffix(".set") }
    try FileManager.default.removeItem(atPath: try #require(sets.first))

    let findings = try await workshop.inspector.verify().findings.filter { $0.severity != .hint }

    #expect(findings.map(\.code) == [.missingSet], "\(findings)")
    #expect(findings.allSatisfy { $0.next.contains("ticds-inspect repair REMOTE") })
  }
}
