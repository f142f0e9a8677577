import BackendConformance
import Crypto
import Inspection
import Testing

@testable import SyncProtocol

/// Passwords of a remote that was founded twice and became one: each founding has brought a key with passwords of its own.
@Suite struct UnitedPasswordTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    (a, b, _) = workplace.devices()
  }

  /// Each device founds where it is alone; then the folders meet, and both learn of it.
  private func found(_ first: String, _ second: String) async throws {
    let elsewhere = MemoryBackend()
    try await a.register(remote, .password(first))
    try await b.register(elsewhere, .password(second))
    try a.write("one", "by a")
    try b.write("two", "by b")
    remote.meet(elsewhere)
    let alone = b.ring
    try await b.register(remote, .keysAndPassword(try #require(alone), first))
    // As an application has them that keeps the keys it was first given.
    b.setKeys(alone)
    for _ in 0..<3 { for device in [a, b] { try await device.sync(remote) } }
    try #require(try a.notes == ["one: by a", "two: by b"])
    try #require(keys.count == 2)
  }

  private var keys: Set<KeyIdentifier> {
    Set(remote.files.keys.compactMap { $0.name.flatMap { KeyFileName($0) }?.key })
  }

  /// What a newcomer shows who has nothing but a password; `nil` if it opens nothing.
  private func notes(with password: String) async throws -> [String]? {
    let newcomer = Device("newcomer-\(workplace.random())", in: workplace)
    do {
      try await newcomer.register(remote, .password(password), mayCreate: false)
    } catch let error as SyncError where error.code == .wrongPassword {
      return nil
    }
    try await newcomer.sync(remote)
    return try newcomer.notes
  }

  private let everything = ["one: by a", "two: by b"]

  @Test func `a password that both foundings have opens nothing once it was changed`() async throws {
    try await found("same", "same")
    try await a.application(remote).changePassword(from: "same", to: "new")
    #expect(try await notes(with: "same") == nil)
    #expect(try await notes(with: "new") == everything)
  }

  @Test func `nobody misses the key file of the founding that only the other one leads to`() async throws {
    try await found("same", "same")
    try await a.application(remote).changePassword(from: "same", to: "new")
    try #require(keys.count == 1)

    let findings = try await RemoteInspector(backend: remote, password: "new").verify().findings
    #expect(!findings.contains { $0.code == .keyFileMissing }, "\(findings)")
    let names = try await RemoteInspector(backend: remote, password: nil).verify(depth: .names).findings
    #expect(!names.contains { $0.code == .keyFileMissing }, "\(names)")
  }

  @Test func `the key file of a founding is missed if nothing was taken back of it`() async throws {
    try await found("a's own", "b's own")
    let file = try #require(remote.paths { KeyFileName($0) }.first)
    try await remote.remove(file)
    let left = try #require(remote.paths { KeyFileName($0) }.first?.name.flatMap { KeyFileName($0) })
    let isOfB = b.ring?.newest.identifier == left.key

    let findings = try await RemoteInspector(
      backend: remote, password: isOfB ? "b's own" : "a's own"
    ).verify().findings
    #expect(findings.contains { $0.code == .keyFileMissing }, "\(findings)")
  }

  @Test(arguments: ["a's own", "b's own"])
  func `each founding's password can be removed, and the other opens everything`(_ removed: String)
    async throws
  {
    try await found("a's own", "b's own")
    let left = removed == "a's own" ? "b's own" : "a's own"
    #expect(try await a.application(remote).passwords().count == 2)
    try await a.application(remote).removePassword(removed)
    #expect(try await notes(with: removed) == nil)
    #expect(try await notes(with: left) == everything)
    await #expect { try await b.application(remote).removePassword(left) } throws: {
      ($0 as? SyncError)?.code == .lastPassword
    }
  }

  @Test func `what was removed from both foundings stays removed, and devices find nothing amiss`()
    async throws
  {
    try await found("same", "same")
    let manager = try await a.manager(remote)
    try await a.application(remote).changePassword(from: "same", to: "new")
    try await manager.keepPasswordFiles()
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    for device in [b, a, b, a] { try await device.sync(remote) }
    #expect(try await b.sync(remote).findings == [])
    #expect(try await notes(with: "same") == nil)
    #expect(try await notes(with: "new") == everything)
  }

  @Test func `a password of the other founding is none to be added`() async throws {
    try await found("a's own", "b's own")
    #expect(try await a.application(remote).addPassword("b's own") == false)
    #expect(try await b.application(remote).addPassword("a's own") == false)
  }
}
