import Foundation
import ProcessTesting
import Testing

/// Devices whose folders real Syncthing daemons keep alike. One after the other, for daemons are never at rest.
@Suite(.serialized) struct SyncthingTests {
  /// Running daemons; they end with this object or with the process.
  private final class Daemons: Sendable {
    private struct NotStarted: Error {
      let reason: String
    }

    private struct Facts: Decodable {
      let folders: [String]
    }

    private static let tool = Checkout.root.appending(path: "Tools/servers").path
    let folders: [String]
    private let process: Subprocess
    private let state: String

    static func areInstalled() async throws -> Bool {
      try await Subprocess.run([tool, "list"]).output.contains(/syncthing: \//)
    }

    /// Starts daemons that do not meet before ``settle()``.
    init(_ count: Int, in sandbox: Sandbox) async throws {
      state = sandbox.path("daemons.json")
      process = try Subprocess(
        [Self.tool, "run", "syncthing", "--daemons", "\(count)", "--paused", "--state", "-"],
        isAnnouncing: true)
      let ending = Task { [process] in try await process.result() }
      guard let announcement = await process.announcement() else {
        throw NotStarted(reason: try await ending.value.errors)
      }
      let facts = Data(announcement.utf8)
      try facts.write(to: URL(filePath: state))
      folders = try JSONDecoder().decode(Facts.self, from: facts).folders
    }

    deinit { process.send(SIGTERM) }

    /// Has everything delivered.
    func settle() async throws {
      let result = try await Subprocess.run([Self.tool, "settle", "--state", state])
      try #require(result.ending == .exited(0), "\(result.errors)")
    }
  }

  private struct Verification: Decodable {
    struct Finding: Decodable {
      let kind: String
      let severity: String
      let path: String
    }

    let clean: Bool
    let findings: [Finding]
  }

  @Test(arguments: [2, 3])
  func `founding twice before Syncthing meets makes conflict copies, and one document`(count: Int)
    async throws
  {
    if try await !Daemons.areInstalled() { try Test.cancel("syncthing is not installed") }
    let sandbox = try Sandbox()
    let daemons = try await Daemons(count, in: sandbox)
    var devices: [Device] = []
    for (number, folder) in daemons.folders.enumerated() {
      let device = Device(name: "device\(number)", sandbox: sandbox)
      // Every second one looks at its folder as at one of a provider that may keep content elsewhere.
      let remote = number.isMultiple(of: 2) ? folder : "ubiquity:\(folder)"
      try await device.succeed(
        "init", "--remote", remote, "--client", device.name, "--password-file", sandbox.passwordFile.path)
      _ = try await device.add("written while alone on \(device.name)", tags: ["shared"])
      _ = try await device.sync()
      devices.append(device)
    }

    // Each has made a key of its own; who gives the password once more opens all of them for everybody.
    try await daemons.settle()
    _ = try await devices[0].sync("--password-file", sandbox.passwordFile.path)
    // Keys are exchanged, foundings accept each other, sets are fetched, and what was seen is told.
    for _ in 0..<6 {
      try await daemons.settle()
      for device in devices { _ = try await device.sync() }
    }
    try await daemons.settle()

    let notes = try await devices[0].notes()
    #expect(notes.count == count)
    for (device, folder) in zip(devices, daemons.folders) {
      #expect(try await device.notes() == notes)
      #expect(try await device.status().devices.filter(\.hasSeenEverything).count == count)
      let verification = try await verify(folder, sandbox)
      let copies = verification.findings.filter { $0.path.contains(".sync-conflict-") }
      #expect(verification.clean, "\(verification.findings)")
      #expect(copies.allSatisfy { $0.kind == "foreignEntry" && $0.severity == "hint" })
      #expect(!copies.isEmpty, "Syncthing has made no conflict copy")
    }
  }

  private func verify(_ folder: String, _ sandbox: Sandbox) async throws -> Verification {
    let program = Checkout.program("ticds-inspect").path
    let result = try await Subprocess.run([
      program, "verify", folder, "--json", "--password-file", sandbox.passwordFile.path,
    ])
    return try JSONDecoder().decode(Verification.self, from: Data(result.output.utf8))
  }
}
