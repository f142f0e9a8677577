import Foundation
import ProcessTesting
import Testing

/// `ticds-inspect vacuum`: what somebody learns and removes who is no device.
@Suite struct InspectVacuumTests {
  private func stores(_ sandbox: Sandbox) -> Set<String> {
    Set(Snapshot(sandbox.remote).entries.map(\.path).filter { $0.hasSuffix(".copy") })
  }

  /// Four whole stores, two of each device, each with more than the one before; “carol” lacks the newest sets.
  private func sample() async throws -> (sandbox: Sandbox, old: Set<String>, devices: [Device]) {
    let sandbox = try Sandbox()
    let devices = [try await sandbox.device("alice"), try await sandbox.device("bob")]
    _ = try await sandbox.device("carol").sync()
    var old: Set<String> = []
    for (index, device) in devices.enumerated() {
      for number in 1...2 {
        _ = try await device.add("\(number) of \(device.name)", content: String(repeating: "x", count: 100))
        _ = try await device.sync()
        try await device.succeed("upload-store")
      }
      if index == 0 { old = stores(sandbox) }
    }
    #expect(old.count == 2 && stores(sandbox).count == 4)
    return (sandbox, old, devices)
  }

  @Test func `a dry run says what could go and who holds it back, and changes nothing`() async throws {
    let (sandbox, _, _) = try await sample()
    let before = Snapshot(sandbox.remote)
    let result = try await sandbox.inspect("vacuum", "--dry-run")
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.output.components(separatedBy: "can go; the newest two").count == 3, "\(result.output)")
    #expect(result.output.contains("held back by “carol”"), "\(result.output)")
    #expect(result.output.contains("vacuum on the device “bob”"), "\(result.output)")
    let json = try ProgramJSON.object(try await sandbox.inspect("vacuum", "--dry-run", "--json").output)
    let document = try #require((json["documents"] as? [[String: Any]])?.first)
    let verdicts = (document["wholeStores"] as? [[String: Any]])?.compactMap { $0["verdict"] as? String }
    #expect(verdicts == ["kept", "kept", "superseded", "superseded"])
    #expect(json["removed"] as? Bool == false)
    #expect(Snapshot(sandbox.remote) == before)
  }

  @Test func `whole stores of before go, nothing else does, and devices go on and join`() async throws {
    let (sandbox, old, devices) = try await sample()
    let before = Snapshot(sandbox.remote).contents
    let result = try await sandbox.inspect("vacuum")
    #expect(result.ending == .exited(0), "\(result.errors)")
    let after = Snapshot(sandbox.remote).contents
    #expect(Set(before.keys).subtracting(after.keys) == old)
    #expect(after.allSatisfy { before[$0.key] == $0.value })
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
    let dave = try await sandbox.device("dave")
    for device in devices + [dave] { _ = try await device.sync() }
    #expect(try await dave.list() == devices[0].list())
    #expect(try await !sandbox.inspect("vacuum", "--dry-run").output.contains("can go"))
  }

  @Test func `a whole store stays if one of the newest two does not contain all of it, or does not open`()
    async throws
  {
    let (sandbox, _, _) = try await sample()
    let json = try ProgramJSON.object(try await sandbox.inspect("vacuum", "--dry-run", "--json").output)
    let document = try #require((json["documents"] as? [[String: Any]])?.first)
    let newest = try #require((document["wholeStores"] as? [[String: Any]])?.first?["path"] as? String)
    let file = sandbox.remote.appending(path: newest)
    var bytes = [UInt8](try Data(contentsOf: file))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: file)
    let result = try await sandbox.inspect("vacuum")
    #expect(result.output.contains("does not open"), "\(result.output)")
    #expect(FileManager.default.fileExists(atPath: file.path))
    // Of the three others the newest two are kept.
    #expect(stores(sandbox).count == 3)
  }

  @Test func `without a whole store nothing can go, and that is said`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let before = Snapshot(sandbox.remote)
    let result = try await sandbox.inspect("vacuum")
    #expect(result.ending == .exited(0) && result.output.contains("no whole store lies there that opens"))
    #expect(Snapshot(sandbox.remote) == before)
    #expect(try await sandbox.inspect("vacuum", password: false).ending == .exited(4))
  }
}
