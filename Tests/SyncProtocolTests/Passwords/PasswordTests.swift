import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// Which passwords open a remote, and that what was removed stays removed.
@Suite struct PasswordTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let a: Device
  private let b: Device

  init() async throws {
    workplace = try Workplace()
    (a, b, _) = workplace.devices()
    try await a.register(remote, .password("first"))
    try await b.register(remote, .password("first"))
    try a.write("one", "by a")
    for device in [a, b] { try await device.sync(remote) }
  }

  /// Whether a device that has nothing joins with a password.
  private func opens(_ password: String, _ backend: MemoryBackend? = nil) async throws -> Bool {
    let newcomer = Device("newcomer-\(workplace.random())", in: workplace)
    do {
      try await newcomer.register(backend ?? remote, .password(password), mayCreate: false)
      return true
    } catch let error as SyncError where error.code == .wrongPassword {
      return false
    }
  }

  private func opening(_ passwords: String...) async throws -> [Bool] {
    var all: [Bool] = []
    for password in passwords { all.append(try await opens(password)) }
    return all
  }

  private var keyFiles: [RemotePath: [UInt8]] {
    remote.files.filter { $0.key.name.flatMap { KeyFileName($0) } != nil }
  }

  private var withdrawals: [RemotePath] { remote.paths { WithdrawalName($0) } }

  /// A day goes by, after which devices look after what newcomers need.
  private func nextDay(_ devices: Device...) async throws {
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    for device in devices { try await device.sync(remote) }
  }

  /// Both devices put the same password in the place of the first, neither seeing what the other does.
  private func changeApart(to password: String) async throws {
    let elsewhere = MemoryBackend()
    elsewhere.meet(remote)
    try await a.application(remote).changePassword(from: "first", to: password)
    try await b.application(elsewhere).changePassword(from: "first", to: password)
    remote.meet(elsewhere)
    try #require(try await a.application(remote).passwords().count == 2)
  }

  @Test func `a password that two devices have added opens nothing once it was changed`() async throws {
    try await changeApart(to: "second")
    try await a.application(remote).changePassword(from: "second", to: "third")
    #expect(try await opening("first", "second", "third") == [false, false, true])
  }

  @Test func `a password that two devices have added opens nothing once it was removed`() async throws {
    try await changeApart(to: "second")
    let only = await failure { try await a.application(remote).removePassword("second") }
    #expect(only?.code == .lastPassword)
    try await a.application(remote).addPassword("third")
    try await b.application(remote).removePassword("second")
    #expect(try await opening("second", "third") == [false, true])
  }

  // MARK: One device

  @Test func `files that only bear the name of the key hide no password`() async throws {
    let key = try #require(keyFiles.keys.first?.name.flatMap { KeyFileName($0) })
    let folder = DocumentHierarchy.notes.application.encryption
    for number in 0..<100 {
      let digits = String(repeating: "0", count: 16 - "\(number)".count) + "\(number)"
      let name = try #require(RemoteName("\(key.key).\(digits).keys"))
      try await remote.upload([], to: folder / name)
    }
    #expect(try await a.application(remote).passwords().count == 1)
    try await a.application(remote).changePassword(from: "first", to: "second")
    #expect(try await opening("first", "second") == [false, true])
  }

  @Test func `a password that was changed opens nothing any more, and members need none`() async throws {
    try await a.application(remote).changePassword(from: "first", to: "second")
    #expect(try await opening("first", "second") == [false, true])
    try b.write("two", "by b")
    for device in [b, a] { try await device.sync(remote) }
    #expect(try a.notes == ["one: by a", "two: by b"])
  }

  @Test(arguments: [true, false])
  func `what was kept of a changed password is put back after the remote went back on the same day`(
    _ isReplaced: Bool
  ) async throws {
    let before = remote.copy()
    let manager = try await a.manager(remote)
    if isReplaced {
      _ = try await manager.application.replaceKeys(password: "second")
    } else {
      try await manager.application.changePassword(from: "first", to: "second")
    }
    try await manager.keepPasswordFiles()

    remote.restore(before)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    _ = try await manager.synchronize()
    #expect(try await opening("first", "second") == [false, true])
  }

  @Test func `a password that was added opens beside the others, and a second time changes nothing`()
    async throws
  {
    try await a.application(remote).addPassword("second")
    let files = keyFiles
    try await a.application(remote).addPassword("second")
    #expect(keyFiles == files && files.count == 1)
    #expect(try await opening("first", "second") == [true, true])
  }

  @Test func `a password is removed by itself or by its slot, but not the last one`() async throws {
    let application = try await a.application(remote)
    try await application.addPassword("second")
    try await application.addPassword("third")
    try await application.removePassword("second")
    let slots = try await application.passwords()
    try await application.removePassword(slots[0])
    #expect(try await opening("first", "second", "third") == [false, false, true])
    #expect(await refusal { try await application.removePassword("third") } == .lastPassword)
    #expect(await refusal { try await application.removePassword("second") } == .wrongPassword)
    #expect(try await opens("third"))
  }

  @Test func `a recovery code opens as a password does, however it is typed`() async throws {
    let application = try await a.application(remote)
    let code = try await application.addRecoveryCode()
    try await application.changePassword(from: "first", to: "second")
    #expect(try await opens(code.text))
    #expect(try await opens(code.text.lowercased().filter { $0 != "-" }))
    #expect(try await application.passwords().map(\.isRecoveryCode).sorted { !$0 && $1 } == [false, true])
    try await application.removePassword(code.text)
    #expect(try await opening(code.text, "second") == [false, true])
  }

  @Test func `a password that was removed may be added again`() async throws {
    let application = try await a.application(remote)
    try await application.changePassword(from: "first", to: "second")
    try await application.changePassword(from: "second", to: "first")
    #expect(try await opening("first", "second") == [true, false])
  }

  // MARK: What comes back

  @Test func `neither an old key file that is put back nor what devices keep of it brings a password back`()
    async throws
  {
    let old = keyFiles
    try await a.application(remote).changePassword(from: "first", to: "second")
    for (path, bytes) in old { try await remote.upload(bytes, to: path) }
    #expect(try await opening("first", "second") == [false, true])
    for (path, _) in old { try await remote.remove(path) }
    try await nextDay(a, b)
    #expect(Set(keyFiles.keys).isDisjoint(with: old.keys))
    #expect(try await opening("first", "second") == [false, true])
  }

  @Test func `what was withdrawn is written again if storage loses it`() async throws {
    try await a.application(remote).changePassword(from: "first", to: "second")
    try await nextDay(b)
    let written = withdrawals
    for path in written { try await remote.remove(path) }
    try await nextDay(b)
    #expect(withdrawals == written && written.count == 1)
  }

  @Test func `storage that loses all key files gets back what opens, and nothing that was removed`()
    async throws
  {
    let application = try await a.application(remote)
    try await application.addPassword("second")
    try await nextDay(b)
    try await application.removePassword("first")
    for path in keyFiles.keys { try await remote.remove(path) }
    try await nextDay(b)
    #expect(try await opening("first", "second") == [false, true])
    #expect(keyFiles.count == 1)
  }

  @Test func `a password comes back whose version of the key file was damaged, though another is whole`()
    async throws
  {
    let before = keyFiles
    try await a.application(remote).addPassword("second")
    try await a.manager(remote).keepPasswordFiles()
    // Storage was late with the removal of the former version.
    for path in keyFiles.keys { remote.tamper(path) { $0 = Array($0.prefix(20)) } }
    for (path, bytes) in before { try await remote.upload(bytes, to: path) }
    #expect(try await opening("first", "second") == [true, false])
    try await nextDay(a)
    #expect(try await opening("first", "second") == [true, true])
  }

  @Test func `a withdrawal that somebody without the key has invented locks nobody out`() async throws {
    let slot = try #require(try await a.application(remote).passwords().first)
    let key = try #require(a.ring).primary.identifier
    let forged = "\(key).\(slot.identifier).\(String(repeating: "0", count: 20)).withdrawn"
    try await remote.upload(
      [], to: DocumentHierarchy.notes.application.encryption / RemoteName(trusted: forged))
    #expect(try await opens("first"))
    try await nextDay(a, b)
    #expect(try await opens("first"))
    #expect(try await a.application(remote).passwords() == [slot])
  }

  // MARK: Two devices at once

  /// Both devices act on storage of their own, which was the same before; then the folders meet.
  private func apart(
    _ one: (ApplicationSyncManager) async throws -> Void,
    _ other: (ApplicationSyncManager) async throws -> Void
  ) async throws {
    let elsewhere = MemoryBackend()
    elsewhere.meet(remote)
    try await one(try await a.application(remote))
    try await other(try await b.application(elsewhere))
    remote.meet(elsewhere)
  }

  @Test func `of two changes at once both passwords open, and the former one does not`() async throws {
    try await apart(
      { try await $0.changePassword(from: "first", to: "by a") },
      { try await $0.changePassword(from: "first", to: "by b") })
    #expect(try await opening("first", "by a", "by b") == [false, true, true])
    try await a.application(remote).addPassword("later")
    #expect(try await opening("first", "by a", "by b", "later") == [false, true, true, true])
    #expect(keyFiles.count == 1)
  }

  @Test func `what one device removes, no other brings back that changes passwords at once`() async throws {
    try await a.application(remote).addPassword("second")
    try await apart({ try await $0.removePassword("first") }, { try await $0.addPassword("third") })
    #expect(try await opening("first", "second", "third") == [false, true, true])
  }

  @Test func `if both remove what the other leaves, a member adds a password`() async throws {
    try await a.application(remote).addPassword("second")
    try await apart({ try await $0.removePassword("first") }, { try await $0.removePassword("second") })
    #expect(try await opening("first", "second") == [false, false])
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    for device in [a, b] { #expect(try await device.sync(remote).findings.contains(.passwordMissing)) }
    try await b.application(remote).addPassword("third")
    #expect(try await opening("first", "second", "third") == [false, false, true])
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    for device in [a, b] { #expect(try await !device.sync(remote).findings.contains(.passwordMissing)) }
  }

  // MARK: Interruption

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of a change fails, somebody can join, and the next attempt completes it`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let elsewhere = MemoryBackend()
      elsewhere.meet(remote)
      let faulty = FaultyBackend(elsewhere, after: requests, fault)
      let outcome = await Result {
        try await a.application(faulty).changePassword(from: "first", to: "second")
      }
      guard faulty.hasFailed else { break }
      if case .failure(let error) = outcome { #expect((error as? SyncError)?.code == .storage) }
      let first = try await opens("first", elsewhere)
      let second = try await opens("second", elsewhere)
      #expect(first || second, "after \(requests) requests")

      try await a.application(elsewhere).changePassword(from: "first", to: "second")
      #expect(try await !opens("first", elsewhere), "after \(requests) requests")
      #expect(try await opens("second", elsewhere), "after \(requests) requests")
      #expect(elsewhere.paths { KeyFileName($0) }.count == 1, "after \(requests) requests")
      requests += 1
    }
    #expect(requests > 4)
  }
}
