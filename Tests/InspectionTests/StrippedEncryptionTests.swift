import FileManagerBackend
import Foundation
import Inspection
import Testing

/// Somebody has taken the encryption away from a remote: its keys, its records, or all of it.
@Suite struct StrippedEncryptionTests {
  /// An encrypted remote some parts of which are those of a plain one.
  private func remote(replacing parts: [String], removing removed: [String] = []) async throws -> SampleRemote
  {
    let (sealed, plain) = (try await SampleRemote(encrypted: true), try await SampleRemote(encrypted: false))
    for part in parts + removed {
      let place = sealed.remote.appending(path: "sample/\(part)")
      try FileManager.default.removeItem(at: place)
      guard parts.contains(part) else { continue }
      try FileManager.default.copyItem(at: plain.remote.appending(path: "sample/\(part)"), to: place)
    }
    return sealed
  }

  @Test(arguments: [
    ["Founding"], ["Founding", "Documents/things/IntegrityKey"],
    ["Founding", "Documents/things/IntegrityKey", "Documents/things/documentInfo.plist", "ClientDevices"],
  ])
  func `sealed files beside a plain founding are evidence, none is to be removed, and no repair touches them`(
    _ parts: [String]
  ) async throws {
    let remote = try await remote(replacing: parts, removing: ["Encryption"])
    let before = try remote.contents()

    let verification = try await remote.inspector.verify()

    #expect(verification.outcome == .damaged)
    #expect(verification.findings.contains { $0.code == .encryptionStripped && $0.path == "sample" })
    #expect(!verification.findings.contains { $0.next.hasPrefix("Remove it") }, "\(verification.findings)")
    #expect(try await remote.inspector.planRepair().actions.isEmpty)
    try await remote.repair()
    #expect(try remote.contents() == before)
    // Without the password the same is told.
    let blind = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))
    #expect(try await blind.verify().findings.contains { $0.code == .encryptionStripped })
  }

  @Test func `a password that nothing needs is an error, for the remote may have been replaced`() async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let inspector = RemoteInspector(
      backend: FileManagerBackend(folder: remote.remote.path), password: SampleRemote.password)
    for depth in [Verification.Depth.names, .data] {
      let verification = try await inspector.verify(depth: depth)
      #expect(verification.outcome == .damaged)
      #expect(verification.findings.map(\.code) == [.passwordUnneeded])
      #expect(verification.locked == 0)
    }
    #expect(try await inspector.planRepair().actions.isEmpty)
    #expect(try await remote.inspector.verify().findings == [])
  }
}
