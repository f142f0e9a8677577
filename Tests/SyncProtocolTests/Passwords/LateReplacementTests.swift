import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// The keys were replaced, and a part of that is late.
@Suite struct LateReplacementTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let (a, b): (Device, Device)
  private let hierarchy = DocumentHierarchy.notes.application

  init() async throws {
    workplace = try Workplace()
    (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
    for device in [a, b] { try await device.register(remote, .password("first")) }
    try a.write("one", "by a")
    for device in [a, b] { try await device.sync(remote) }
  }

  /// `a` replaces the keys; of what it has written `b` sees the withdrawals alone, and that the former key file is gone.
  private func replaceUnseen() async throws {
    let before = Set(remote.files.keys)
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    for path in remote.files.keys where !before.contains(path) {
      if path.name.flatMap({ WithdrawalName($0) }) == nil { remote.hide(path) }
    }
    workplace.clock.advance(25 * 60 * 60 * 1_000)
  }

  private func newcomer(_ name: String, _ password: String) async throws -> [String] {
    let device = Device(name, in: workplace)
    try await device.register(remote, .password(password))
    try await device.sync(remote)
    return try device.notes
  }

  @Test func `while the new key file is late a member is told to wait, and not to add a password`()
    async throws
  {
    try await replaceUnseen()
    let findings = try await b.sync(remote).findings
    #expect(!findings.contains(.passwordMissing))
    #expect(findings.contains { "\($0)".contains("replaced") && "\($0)".contains("late") }, "\(findings)")

    let before = remote.files
    for error in [
      await failure { _ = try await b.application(remote).addPassword("third") },
      await failure { _ = try await b.application(remote).addRecoveryCode() },
    ] {
      #expect(error?.code == .keyMissing)
      #expect(error?.recovery.contains("Wait") == true, "\(String(describing: error))")
    }
    #expect(remote.files == before)

    remote.showAll()
    try await b.register(remote, .keysAndPassword(try #require(b.ring), "second"))
    #expect(try await b.sync(remote).findings.isEmpty)
    #expect(try await newcomer("c", "second") == ["one: by a"])
  }

  @Test
  func
    `while the new key file alone is late, a member is told each time that it cannot read what the others write`()
    async throws
  {
    let before = Set(remote.paths { KeyFileName($0) })
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    for path in remote.paths({ KeyFileName($0) }) where !before.contains(path) { remote.hide(path) }
    for week in 0..<4 {
      workplace.clock.advance(7 * 25 * 60 * 60 * 1_000)
      try a.write("week \(week)", "by a")
      try await a.sync(remote)
      let report = try await b.sync(remote)
      #expect(report.isKeyMissing, "\(report.findings)")
      #expect(report.findings.allSatisfy { !$0.isAboutMissingHead }, "\(report.findings)")
      #expect(report.isBlocked == (week >= 2))
    }
    #expect(try await !b.status().missingKeys.isEmpty)

    remote.showAll()
    try await b.register(remote, .keysAndPassword(try #require(b.ring), "second"))
    #expect(try await b.sync(remote).findings.isEmpty)
    #expect(try b.notes == a.notes)
  }

  @Test func `while the new key file alone is late nobody is told flatly that the new password is wrong`()
    async throws
  {
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    let file = try #require(remote.files.keys.first { $0.name.flatMap { KeyFileName($0) } != nil })
    remote.hide(file)

    let error = await failure { _ = try await newcomer("c", "second") }

    #expect(error?.message.contains("late") == true, "\(String(describing: error))")
    remote.showAll()
    #expect(try await newcomer("d", "second") == ["one: by a"])
    let wrong = await failure { _ = try await newcomer("e", "third") }
    #expect(wrong?.code == .wrongPassword && wrong?.message.contains("late") == false)
  }

  @Test func `what is added while nothing of the replacement has arrived opens nothing once it has`()
    async throws
  {
    let elsewhere = MemoryBackend()
    elsewhere.meet(remote)
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    try await b.application(elsewhere).addPassword("third")
    let code = try await b.application(elsewhere).addRecoveryCode()
    try a.write("two", "by a")
    try await a.sync(remote)
    remote.meet(elsewhere)

    for (number, secret) in ["first", "third", code.text].enumerated() {
      #expect(await refusal { _ = try await newcomer("late-\(number)", secret) } == .wrongPassword)
    }
    #expect(try await a.application(remote).passwords().count == 1)
    #expect(try await newcomer("c", "second") == ["one: by a", "two: by a"])
    #expect(try await a.sync(remote).findings.isEmpty)
  }

  @Test func `if the new key file never comes another replacement opens the remote again`() async throws {
    try await replaceUnseen()
    try await b.sync(remote)
    b.setKeys(try await b.application(remote).replaceKeys(password: "third"))
    try b.write("two", "by b")
    try await b.sync(remote)
    #expect(try await newcomer("c", "third") == ["one: by a", "two: by b"])
  }

  @Test(arguments: [false, true])
  func `what the storage loses of a new key by going back is there again after the next synchronisation`(
    _ wasUsed: Bool
  ) async throws {
    let before = remote.copy()
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    try await a.manager(remote).keepPasswordFiles()
    if wasUsed { try await a.sync(remote) }
    remote.restore(before)
    if !wasUsed { try a.write("two", "by a") }
    try await a.sync(remote)
    #expect(try await newcomer("c", "second") == a.notes)
    try await a.sync(remote)
    #expect(try await a.sync(remote).requests == 1)
  }

  @Test
  func `where storage went back and the new key was lost with it, its file is found again, and asked for`()
    async throws
  {
    let before = remote.copy()
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    try await a.manager(remote).keepPasswordFiles()
    try a.write("two", "by a")
    try await a.sync(remote)
    remote.restore(before)
    try await a.register(remote, .password("first"))
    workplace.clock.advance(25 * 60 * 60 * 1_000)

    for _ in 0..<2 { for device in [a, b] { try await device.sync(remote) } }

    let findings = try await b.sync(remote).findings
    #expect(findings.contains { if case .keyMissing(let key) = $0 { key.isReplacement } else { false } })
    #expect(!findings.contains(.replacementLate), "\(findings)")
    try await b.register(remote, .keysAndPassword(try #require(b.ring), "second"))
    try await b.sync(remote)
    #expect(try b.notes == ["one: by a", "two: by a"])
  }

  @Test func `if the new key file is damaged for good another replacement opens the remote again`()
    async throws
  {
    let before = Set(remote.files.keys)
    _ = try await a.application(remote).replaceKeys(password: "second")
    for path in remote.files.keys where !before.contains(path) {
      if path.name.flatMap({ KeyFileName($0) }) != nil { remote.tamper(path) { $0.removeLast(20) } }
    }
    let error = await failure { try await b.application(remote).addPassword("third") }
    #expect(error?.recovery.contains("replace the keys once more") == true, "\(String(describing: error))")
    b.setKeys(try await b.application(remote).replaceKeys(password: "third"))
    try b.write("two", "by b")
    try await b.sync(remote)
    #expect(try await newcomer("c", "third") == ["one: by a", "two: by b"])
  }

  @Test func `where only withdrawals tell that nothing opens the remote, late files are thought of first`() {
    let sentence = "\(SyncFinding.passwordMissing)"
    #expect(sentence.contains("late") && sentence.contains("wait"))
  }

  @Test func `a removed password is called that by whoever was given it`() async throws {
    try await a.application(remote).changePassword(from: "first", to: "second")
    try await a.manager(remote).keepPasswordFiles()
    let errors = [
      await failure { try await b.register(remote, .keysAndPassword(try #require(b.ring), "first")) },
      await failure { try await a.manager(remote).resume(.password("first")) },
      await failure { _ = try await newcomer("c", "first") },
      await failure { try await b.application(remote).changePassword(from: "first", to: "third") },
    ]
    for error in errors {
      #expect(error?.code == .wrongPassword)
      #expect(error?.recovery.contains("removed") == true, "\(String(describing: error))")
    }
    #expect(Set(errors.map { $0?.recovery }).count == 1)
  }
}
