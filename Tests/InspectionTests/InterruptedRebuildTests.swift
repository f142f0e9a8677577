import FileManagerBackend
import Foundation
import SyncProtocol
import Testing

@testable import Inspection

/// A document is rebuilt, and that is interrupted; or its history was vacuumed before.
@Suite struct InterruptedRebuildTests {
  /// Sets of the first device of which the second and the last are gone. The second device has merged all of them, the third only what
  /// comes before the hole.
  private func holed(encrypted: Bool) async throws -> Workshop {
    let workshop = try await Workshop(seed: 1, encrypted: encrypted)
    let devices = workshop.devices
    for number in 1...4 {
      workshop.advance()
      try write(number, devices[0])
      for device in devices.prefix(number == 1 ? 3 : 2) { try await device.sync() }
    }
    for number in [2, 4] {
      try FileManager.default.removeItem(atPath: try #require(try set(number, workshop)))
    }
    return workshop
  }

  private func write(_ number: Int, _ device: Workshop.Device) throws {
    try device.context.insert(Part.self).name = "part \(number)"
    try device.context.save()
  }

  private func set(_ number: Int, _ workshop: Workshop) throws -> String? {
    try FileManager.default.subpathsOfDirectory(atPath: workshop.remote)
      .first { $0.contains("/000000000\(number)-") && $0.hasSuffix(".set") }.map {
        "\(workshop.remote)/\($0)"
      }
  }

  private func contents(_ workshop: Workshop) throws -> [String: Data?] {
    try SampleRemote.contents(of: URL(filePath: workshop.remote))
  }

  private func apply(_ plan: RepairPlan, to workshop: Workshop, keeping name: String) async throws {
    let failures = try await RemoteRepair(
      backend: FileManagerBackend(folder: workshop.remote),
      quarantine: Quarantine(newAt: workshop.folder.file(name))
    ).apply(plan)
    #expect(failures.isEmpty)
  }

  private func plan(_ workshop: Workshop) async throws -> RepairPlan {
    try await workshop.inspector.planRebuild(of: "parts", model: Workshop.model())
  }

  @Test(arguments: [true, false])
  func
    `interrupted anywhere it is undone byte for byte, or done again, and nothing is lost that a device has`(
      encrypted: Bool
    ) async throws
  {
    let steps = try await plan(holed(encrypted: encrypted)).actions.count
    #expect(steps > 8)
    for count in 0...steps {
      let workshop = try await holed(encrypted: encrypted)
      let before = try contents(workshop)
      var first = try await plan(workshop)
      #expect(first.actions.count == steps)
      first.actions = Array(first.actions.prefix(count))
      try await apply(first, to: workshop, keeping: "first")
      if count.isMultiple(of: 4) {
        let left = try await RemoteRepair(
          backend: FileManagerBackend(folder: workshop.remote),
          quarantine: Quarantine(at: workshop.folder.file("first"))
        ).undo()
        #expect(left.isEmpty, "\(count)")
        #expect(try contents(workshop) == before, "\(count)")
      }

      try await apply(plan(workshop), to: workshop, keeping: "second")

      // The first device is gone.
      let (holder, other) = (workshop.devices[1], workshop.devices[2])
      for _ in 1...6 {
        workshop.advance()
        for device in [other, holder] { try await device.sync() }
      }
      let parts = try holder.contents()
      #expect(parts.count == 4, "\(count)")
      #expect(try other.contents() == parts, "\(count)")
      let verification = try await workshop.inspector.verify()
      #expect(verification.outcome != .damaged, "\(count): \(verification.findings)")
    }
  }

  @Test(arguments: [true, false])
  func `nothing is rebuilt without a set of which only one reading was bad`(encrypted: Bool) async throws {
    let workshop = try await holed(encrypted: encrypted)
    let before = try contents(workshop)
    let sound = URL(filePath: try #require(try set(3, workshop)))
    let bytes = try Data(contentsOf: sound)
    var bad = bytes
    bad[bad.count / 2] ^= 0x55
    try bad.write(to: sound)
    let plan = try await plan(workshop)
    #expect(
      plan.actions.contains { $0.change == .putAside && "\($0.path)".hasSuffix(sound.lastPathComponent) })
    try bytes.write(to: sound)

    await #expect {
      try await RemoteRepair(
        backend: FileManagerBackend(folder: workshop.remote),
        quarantine: Quarantine(newAt: workshop.folder.file("quarantine"))
      ).apply(plan)
    } throws: { error in
      guard case RepairError.unsteady(let reason)? = error as? RepairError else { return false }
      return reason.contains(sound.lastPathComponent)
    }
    #expect(try contents(workshop) == before)
  }

  @Test(arguments: [true, false], [true, false])
  func `of a vacuumed history all is rebuilt that whole stores and sets hold`(
    encrypted: Bool, hasWholeStore: Bool
  ) async throws {
    let workshop = try await Workshop(seed: 2, devices: 2, encrypted: encrypted)
    let (one, two) = (workshop.devices[0], workshop.devices[1])
    for number in 1...3 {
      workshop.advance()
      try write(number, one)
      for device in [one, two] { try await device.sync() }
      if number > 1 { _ = try await one.manager.uploadStore() }
    }
    for device in [two, one] { try await device.sync() }
    let report = try await one.manager.vacuum(VacuumPolicy(grace: 0))
    #expect(!report.plan.sets.isEmpty)
    for number in 4...6 {
      try write(number, one)
      try await one.sync()
    }
    try FileManager.default.removeItem(atPath: try #require(try set(5, workshop)))
    if !hasWholeStore {
      for path in try contents(workshop).keys where path.hasSuffix(".copy") {
        try FileManager.default.removeItem(atPath: "\(workshop.remote)/\(path)")
      }
    }
    let before = try contents(workshop)

    try await apply(plan(workshop), to: workshop, keeping: "first")
    let left = try await RemoteRepair(
      backend: FileManagerBackend(folder: workshop.remote),
      quarantine: Quarantine(at: workshop.folder.file("first"))
    ).undo()
    #expect(left.isEmpty)
    #expect(try contents(workshop) == before)
    try await apply(plan(workshop), to: workshop, keeping: "second")

    #expect(try await workshop.inspector.verify().outcome == .healthy)
    try await two.sync()
    #expect(try two.contents().count == 5)
    for _ in 1...4 {
      workshop.advance()
      for device in [one, two] { try await device.sync() }
    }
    #expect(try one.contents().count == 6)
    #expect(try one.contents() == two.contents())
  }
}
