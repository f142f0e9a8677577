import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import Testing

/// A remote whose sets a vacuum has removed, of which a folder replicator has not brought everything yet: what is late is not called lost.
@Suite struct LateArrivalTests {
  /// What has not come, or is no more.
  enum Absence: String, CaseIterable, CustomTestStringConvertible {
    case wholeStores, wholeStoresAndRemover, allButAFloor, allButAFloorBeforeANewcomer, wholeStoresAndHolders

    var testDescription: String { rawValue }

    var code: Finding.Code { self == .wholeStoresAndHolders ? .historyLost : .historyAwaited }
  }

  private func vacuumed(encrypted: Bool) async throws -> SampleRemote {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.vacuum()
    return remote
  }

  private func removeHeads(_ remote: SampleRemote, except authors: Set<String> = []) throws {
    for head in try remote.files(in: "RecentSyncs", suffix: ".head")
    where !authors.contains(String(head.lastPathComponent.prefix { $0 != "." })) {
      try FileManager.default.removeItem(at: head)
    }
  }

  @Test(arguments: Absence.allCases, [true, false])
  func `a history is lost once nobody has it, and not while a whole store or its makers may come`(
    _ absence: Absence, encrypted: Bool
  ) async throws {
    let remote = try await vacuumed(encrypted: encrypted)
    for store in try remote.files(in: "WholeStore", suffix: ".copy") {
      try FileManager.default.removeItem(at: store)
    }
    switch absence {
    case .wholeStores: break
    case .wholeStoresAndRemover: try removeHeads(remote)
    case .allButAFloor, .allButAFloorBeforeANewcomer:
      try removeHeads(remote)
      for set in try remote.files(in: "SyncChanges", suffix: ".set") {
        try FileManager.default.removeItem(at: set)
      }
      if absence == .allButAFloorBeforeANewcomer {
        let newcomer = try await remote.device("newcomer")
        _ = try? await newcomer.document.synchronize()
      }
    case .wholeStoresAndHolders:
      let first = try await remote.device("first")
      _ = try await first.document.synchronize()
      for device in try await first.document.status().devices where !device.isThisDevice {
        _ = try await first.document.removeDevice(device.author)
      }
      try removeHeads(remote)
    }

    let verification = try await remote.inspector.verify()

    let findings = verification.findings.filter { [.historyLost, .historyAwaited].contains($0.code) }
    #expect(findings.map(\.code) == [absence.code], "\(verification.findings)")
    #expect(
      verification.outcome == (absence.code == .historyLost ? .damaged : .warnings),
      "\(verification.findings)")
    if absence == .wholeStores {
      #expect(["“first”", "“second”", "“fifth”"].contains { findings[0].message.contains($0) })
    }
    #expect(findings[0].next.contains("repair REMOTE --from COPY"))
  }

  @Test
  func `without the password nobody can tell a gap from what a vacuum has removed, and with it all can`()
    async throws
  {
    let remote = try await vacuumed(encrypted: true)
    let locked = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))

    let verification = try await locked.verify()

    #expect(Set(verification.findings.map(\.code)) == [.gapUnjudged], "\(verification.findings)")
    #expect(verification.outcome == .healthy)
    #expect(
      verification.findings.allSatisfy { $0.severity == .hint && $0.message.contains("without the password") }
    )
    #expect(try await locked.verify(depth: .names).findings.map(\.code) == verification.findings.map(\.code))
    #expect(try await remote.inspector.verify().findings.isEmpty)
  }

  @Test func `a gap beyond all that a floor may name is one without the password too`() async throws {
    let remote = try await vacuumed(encrypted: true)
    let device = try await remote.device("first")
    for number in 1...8 { try await device.push("later \(number)") }
    let set = try #require(
      try remote.files(in: "SyncChanges", suffix: ".set").first {
        $0.lastPathComponent.hasPrefix("0000000009-")
      })
    try FileManager.default.removeItem(at: set)
    let locked = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))

    let verification = try await locked.verify()

    let gaps = verification.findings.filter { $0.code == .gap }
    #expect(gaps.map(\.message) == ["Set 9 is missing, though there is set 11."], "\(verification.findings)")
    #expect(try await remote.inspector.verify().findings.map(\.code) == [.gap])
  }
}
