import Crypto
import FileManagerBackend
import Foundation
import Inspection
import Testing

@testable import SyncProtocol

/// The keys were replaced, and what leads to the new ones is late or was taken back with an old folder.
@Suite struct KeyNotAtHandTests {
  private static let new = "another horse"

  /// A remote after a replacement of the keys, with an `Encryption` folder of before it.
  private func remote() async throws -> (remote: SampleRemote, current: URL) {
    let remote = try await SampleRemote(encrypted: true)
    let keys = remote.remote.appending(path: "sample/Encryption")
    let (old, current) = (
      remote.folder.url.appending(path: "old"), remote.folder.url.appending(path: "current")
    )
    try FileManager.default.copyItem(at: keys, to: old)
    let device = try await remote.device("first")
    _ = try await device.application.replaceKeys(password: Self.new)
    try await device.push(String(repeating: "long ", count: 8_000))
    try await device.document.uploadStore()
    try FileManager.default.moveItem(at: keys, to: current)
    try FileManager.default.copyItem(at: old, to: keys)
    return (remote, current)
  }

  @Test func `what is sealed with a key that is not at hand is left as it is and told of`() async throws {
    let (remote, current) = try await remote()
    let before = try remote.contents()

    let verification = try await remote.inspector.verify()
    let found = verification.findings.filter { $0.code == .keyNotAtHand }

    #expect(
      found.count == 1 && found.allSatisfy { $0.next.hasPrefix("Leave it") }, "\(verification.findings)")
    let damage: [Finding.Code] = [.notAuthentic, .damagedFile, .undecodable, .wholeStoreDamaged, .notSealed]
    #expect(!verification.findings.contains { damage.contains($0.code) }, "\(verification.findings)")
    #expect(!verification.findings.contains { $0.next.hasPrefix("Remove") }, "\(verification.findings)")
    let plan = try await remote.inspector.planRepair()
    #expect(!plan.actions.contains { $0.change == .putAside }, "\(plan.actions)")
    #expect(plan.left.contains { $0.code == .keyNotAtHand })
    try await remote.apply(plan)
    #expect(Set(before.keys).isSubset(of: try remote.contents().keys))

    let keys = remote.remote.appending(path: "sample/Encryption")
    try FileManager.default.removeItem(at: keys)
    try FileManager.default.copyItem(at: current, to: keys)
    let whole = try await remote.inspector(Self.new).verify()
    #expect(!whole.findings.contains { $0.severity == .error }, "\(whole.findings)")
  }

  @Test func `names by devices with the new key are told of together, and their authors miss no head`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    let keys = remote.remote.appending(path: "sample/Encryption")
    let old = remote.folder.url.appending(path: "old")
    try FileManager.default.copyItem(at: keys, to: old)
    let (first, second) = (try await remote.device("first"), try await remote.device("second"))
    _ = try await first.application.replaceKeys(password: Self.new)
    try await first.push("five")
    try await second.application.register(.password(Self.new))
    try await second.push("six")
    try FileManager.default.removeItem(at: keys)
    try FileManager.default.copyItem(at: old, to: keys)

    let findings = try await remote.inspector.verify().findings

    let forged = findings.filter { $0.code == .forgedName && $0.path.contains("RecentSyncs") }
    #expect(forged.count == 1 && forged.allSatisfy { $0.message.hasPrefix("2 names") }, "\(findings)")
    #expect(!findings.contains { $0.code == .missingHead }, "\(findings)")
    let rivals = findings.filter { $0.code == .rivalFoundings }
    #expect(rivals.allSatisfy { $0.message.contains("master key was replaced") }, "\(rivals)")
  }

  @Test func `a password is not called wrong where more key files lie than it is tried on`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let keys = remote.remote.appending(path: "sample/Encryption")
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let made = try KeyFile.create(
        password: "somebody else's", parameters: .init(cost: 16, blockSize: 8, parallelization: 1))
      let name = KeyFileName(made.key.identifier, using: &random)
      try Data(made.file.bytes).write(to: keys.appending(path: name.name.description))
    }

    await #expect {
      _ = try await remote.inspector("mistyped").verify()
    } throws: { error in
      guard case InspectionError.keyFilesCrowded(let tried, let count) = error else { return false }
      return tried == 256 && count == 301
    }
  }

  @Test func `with the new password a repair takes the keys from a copy that it opens`() async throws {
    let (remote, current) = try await remote()
    let place = remote.folder.url.appending(path: "copy")
    let keys = place.appending(path: "sample/Encryption")
    try FileManager.default.copyItem(at: remote.remote, to: place)
    try FileManager.default.removeItem(at: keys)
    try FileManager.default.copyItem(at: current, to: keys)
    let copy = RemoteInspector(backend: FileManagerBackend(folder: place.path), password: Self.new)
    await #expect(throws: InspectionError.self) { _ = try await remote.inspector(Self.new).planRepair() }

    let plan = try await remote.inspector(Self.new).planRepair(from: copy)
    try await remote.apply(plan, from: (place, copy))

    #expect(plan.notes.contains { $0.contains("keys of the copy") })
    let verification = try await remote.inspector(Self.new).verify()
    #expect(!verification.findings.contains { $0.severity == .error }, "\(verification.findings)")
  }

  @Test func `keys of a copy of another remote open nothing`() async throws {
    let (remote, _) = try await remote()
    let other = try await SampleRemote(encrypted: true)
    try await other.changePassword(from: SampleRemote.password, to: Self.new)

    await #expect(throws: InspectionError.self) {
      _ = try await remote.inspector(Self.new).planRepair(from: other.inspector(Self.new))
    }
  }

  @Test func `whoever gives the new password is told which key file is late or lost`() async throws {
    let (remote, _) = try await remote()
    await #expect {
      _ = try await remote.inspector(Self.new).verify()
    } throws: { error in
      guard case InspectionError.keyFilesLate(let keys) = error else { return false }
      return keys.count == 1
    }
    let other = try await SampleRemote(encrypted: true)
    await #expect {
      _ = try await other.inspector(Self.new).verify()
    } throws: { error in
      if case InspectionError.wrongPassword = error { true } else { false }
    }
  }
}
