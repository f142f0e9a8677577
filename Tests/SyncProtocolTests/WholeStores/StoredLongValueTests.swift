import BackendConformance
import ChangeTracking
import Inspection
import Testing

@testable import SyncProtocol

/// Long values that are nowhere but in whole stores: their files are gone, and so is every device that had them.
@Suite struct StoredLongValueTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, c): (Device, Device)
  private let text = String(repeating: "All work and no play. ", count: 5_000)
  private static let encryptions = [EncryptionChoice.none, .password("correct horse")]

  init() throws {
    workplace = try Workplace()
    let devices = workplace.devices()
    (a, c) = (devices.0, devices.2)
  }

  private var stores: Set<RemotePath> { Set(remote.paths { WholeStoreName($0) }) }

  /// The first device has written a long text and uploaded a whole store, and is gone; storage has lost the file of the text before the
  /// other device has merged the set.
  private func lose(_ encryption: EncryptionChoice) async throws {
    try await a.register(remote, encryption)
    try a.write("one", text)
    try await a.sync(remote)
    try await a.uploadStore(remote)
    for path in remote.paths({ LongValueName($0) }) { try await remote.remove(path) }
    try await c.register(remote, encryption)
    try await c.sync(remote)
    try #require(try c.notes != a.notes)
  }

  /// The device that waits uploads whole stores of its own until a vacuum keeps no other.
  private func uploadTwice(_ name: String) async throws {
    for number in 0..<2 {
      try c.write("\(name) \(number)", "text")
      try await c.sync(remote)
      try await c.uploadStore(remote)
    }
  }

  @Test(arguments: encryptions)
  func `what nobody has sent for long is taken from a whole store`(_ encryption: EncryptionChoice)
    async throws
  {
    try await lose(encryption)
    var findings: [[SyncFinding]] = []
    for _ in 0..<7 { findings.append(try await c.sync(remote).findings) }
    #expect(try c.notes == a.notes)
    #expect(findings.dropLast().allSatisfy { $0.count == 1 } && findings.last == [])
    try await c.sync(remote)
    #expect(try await c.sync(remote).requests == 1)
    #expect(remote.paths { ResendRequest($0) }.isEmpty)
  }

  @Test(arguments: encryptions)
  func `a vacuum leaves the whole store that alone holds what its maker waits for`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await lose(encryption)
    let first = stores
    try await uploadTwice("early")

    let password = if case .password(let text) = encryption { text } else { nil as String? }
    let outlooks = try await RemoteInspector(backend: remote, password: password).vacuumOutlooks()
    try await c.vacuum(remote, grace: 0)

    #expect(outlooks.map(\.removable.count) == [0])
    #expect(first.isSubset(of: stores))
    for _ in 0..<6 { try await c.sync(remote) }
    #expect(try c.shows("one"))
    #expect(try c.notes.contains("one: \(text)"))
    try await uploadTwice("late")
    try await c.vacuum(remote, grace: 0)
    #expect(first.isDisjoint(with: stores))
  }

  @Test func `whole stores that do not hold it go as ever`() async throws {
    try await a.register(remote)
    try a.write("other", "text")
    try await a.sync(remote)
    try await a.uploadStore(remote)
    let first = stores
    try a.write("one", text)
    try await a.sync(remote)
    for path in remote.paths({ LongValueName($0) }) { try await remote.remove(path) }
    try await c.register(remote)
    try await c.sync(remote)
    try await uploadTwice("early")

    try await c.vacuum(remote, grace: 0)

    #expect(first.isDisjoint(with: stores) && stores.count == 2)
  }
}
