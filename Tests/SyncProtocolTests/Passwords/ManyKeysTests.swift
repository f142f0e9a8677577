import BackendConformance
import Crypto
import TICDSOpenSSL
import Testing

@testable import SyncProtocol

/// The keys of a remote are replaced over and over again.
@Suite struct ManyKeysTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let (a, b, c): (Device, Device, Device)
  private let hierarchy = DocumentHierarchy.notes.application

  init() async throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
    for device in [a, b, c] { try await device.register(remote, .password("password 0")) }
    for device in [a, b, c] { try await device.sync(remote) }
  }

  private var wrapped: [RemotePath] { remote.paths { WrappedKeyName($0) } }

  /// `a` replaces the keys, and writes a note under each.
  private func replace(_ numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      a.setKeys(try await a.application(remote).replaceKeys(password: "password \(number)"))
      try a.write("note \(number)", "by a")
      try await a.sync(remote)
    }
  }

  private func give(_ number: Int, to device: Device) async throws {
    try await device.register(
      remote, .keysAndPassword(try #require(device.ring), "password \(number)"))
  }

  /// All show the same, have nothing to say, and ask for nothing but the heads.
  private func agree(_ devices: Device...) async throws {
    for _ in 0..<6 { for device in devices { try await device.sync(remote) } }
    for device in devices {
      #expect(try device.notes == a.notes, "\(device.client)")
      let report = try await device.sync(remote)
      #expect(report.requests == 1 && report.findings.isEmpty, "\(report.requests): \(report.findings)")
    }
  }

  @Test func `after forty replacements newcomer, sleeper and restored store read everything`() async throws {
    try await replace(1...10)
    try await give(10, to: b)
    try await b.sync(remote)
    let (backup, ring) = (try b.backUp(), b.ring)
    try b.write("of b", "by b")
    try await b.sync(remote)
    try await replace(11...40)

    let newcomer = Device("newcomer", in: workplace)
    try await newcomer.register(remote, .password("password 40"))
    try await newcomer.sync(remote)
    #expect(try newcomer.notes == a.notes)
    #expect(try newcomer.notes.count == 41)
    try await give(40, to: c)
    try b.restore(backup)
    b.setKeys(ring)
    try await give(40, to: b)
    try await agree(a, b, c, newcomer)
  }

  @Test func `files and requests grow with the number of keys and no faster`() async throws {
    try await replace(1...30)
    #expect(wrapped.count <= 2 * 30)
    let counting = CountingBackend(remote)
    let newcomer = Device("newcomer", in: workplace)
    try await newcomer.register(counting, .password("password 30"))
    try await newcomer.sync(counting)
    #expect(counting.count.requests <= 2 * 30 + 60, "\(counting.count.requests)")

    workplace.clock.advance(25 * 60 * 60 * 1_000)
    let daily = try await a.sync(remote)
    #expect(daily.requests <= 40, "\(daily.requests)")
    #expect(try await a.sync(remote).requests == 1)
  }

  @Test func `a wrapped key that is lost keeps nobody from the others, and is put back`() async throws {
    try await replace(1...4)
    let ring = try #require(a.ring)
    #expect(wrapped.count == 7)
    for (number, path) in wrapped.enumerated() {
      let name = try #require(path.name.flatMap { WrappedKeyName($0) })
      // The last key before the newest lies under this one alone.
      let isOnly = try #require(ring[name.key]).generation == 3
      try await remote.remove(path)
      let newcomer = Device("newcomer-\(number)", in: workplace)
      try await newcomer.register(remote, .password("password 4"))
      let findings = try await newcomer.sync(remote).findings
      #expect(findings.contains(.olderKeysMissing(1)) == isOnly, "without \(path): \(findings)")
      #expect(try (newcomer.notes.count < 4) == isOnly, "without \(path)")
      workplace.clock.advance(25 * 60 * 60 * 1_000)
      try await a.sync(remote)
      // Who lacked a key has passed on the one before it.
      #expect(remote.files[path] != nil && wrapped.count <= 8)
      for _ in 0..<3 { try await newcomer.sync(remote) }
      #expect(try newcomer.notes == a.notes)
    }
  }

  @Test func `who gets the newest key alone is told that older ones are late, and joins once they have come`()
    async throws
  {
    try await replace(1...20)
    let key = try #require(a.ring?.newest.identifier)
    for path in wrapped where path.name.flatMap({ WrappedKeyName($0) })?.wrapping == key { remote.hide(path) }
    let newcomer = Device("newcomer", in: workplace)
    let error = try #require(await failure { try await newcomer.register(remote, .password("password 20")) })
    #expect(error.message.contains("older keys") && error.recovery.contains("Wait"), "\(error)")

    remote.showAll()
    try await newcomer.register(remote, .password("password 20"))
    try await agree(a, newcomer)
  }

  @Test func `a member that lacks older keys says so at every synchronisation`() async throws {
    try await replace(1...6)
    for path in wrapped { remote.hide(path) }
    try await give(6, to: b)
    for number in 1...4 {
      let report = try await b.sync(remote)
      #expect(report.findings.contains { "\($0)".contains("older keys") }, "\(report.findings)")
      #expect(report.isBlocked == (number >= 3))
    }
    remote.showAll()
    for _ in 0..<8 { try await b.sync(remote) }
    try await agree(a, b)
  }

  @Test func `a key of which only the sets that it seals tell is looked for, and what they hold is read`()
    async throws
  {
    let elsewhere = MemoryBackend()
    elsewhere.meet(remote)
    try await replace(1...1)
    for number in 2...4 {
      b.setKeys(try await b.application(elsewhere).replaceKeys(password: "password \(number)"))
    }
    try b.write("of b", "by b")
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
    try await give(4, to: a)
    // Its heads bear the newest key from now on, its sets as before the one that only this device has.
    for _ in 0..<2 { try await a.sync(remote) }

    try await b.sync(remote)
    try await agree(a, b)
    #expect(try b.notes.contains("note 1: by a"))
  }

  /// Puts files there that are named after keys wrapped under those in use.
  private func forge(_ count: Int) async throws {
    let keys = try #require(a.ring).all.map(\.identifier)
    for number in 0..<count {
      let digits = String(number, radix: 16)
      let padding = String(repeating: number.isMultiple(of: 2) ? "0" : "f", count: 16 - digits.count)
      let forged = try #require(KeyIdentifier(digits: padding + digits))
      let name = WrappedKeyName(forged, wrapping: keys[number % keys.count]).name
      try await remote.upload([1], to: hierarchy.encryption / name)
    }
  }

  @Test func `files that are named after keys in use keep a newcomer from none of them`() async throws {
    try await replace(1...3)
    try await forge(200)
    let newcomer = Device("newcomer", in: workplace)
    try await newcomer.register(remote, .password("password 3"))
    try await agree(a, newcomer)
  }

  @Test func `however many files are named after keys in use, work is bounded and nobody is left uninformed`()
    async throws
  {
    try await replace(1...3)
    try await forge(4_000)
    #expect(try await a.sync(remote).requests == 1)
    let newcomer = Device("newcomer", in: workplace)
    let counting = CountingBackend(remote)
    let error = await failure { try await newcomer.register(counting, .password("password 3")) }
    #expect(error == nil || error?.message.contains("older keys") == true, "\(String(describing: error))")
    #expect(counting.count.requests < 350, "\(counting.count.requests)")

    for path in wrapped where remote.files[path] == [1] { try await remote.remove(path) }
    try await newcomer.register(remote, .password("password 3"))
    try await agree(a, newcomer)
  }

  @Test func `after the last generation another replacement is refused before anything is written`()
    async throws
  {
    let ring = try #require(a.ring)
    let last = try MasterKey(
      SecretBytes(copying: Array("TICDSnk".utf8) + [255] + [UInt8](repeating: 7, count: 24)))
    a.setKeys(ring.replacingPrimary(with: last))
    let before = remote.files
    let error = try #require(
      await failure { _ = try await a.application(remote).replaceKeys(password: "password 1") })
    #expect(error.code == .limitReached)
    #expect("\(error.message)".contains("255"), "\(error)")
    #expect(!"\(error)".contains("passwords and recovery codes"))
    #expect(remote.files == before)
  }

  @Test func `who sleeps over replacements adds no password to the key that he has`() async throws {
    try await replace(1...5)
    let error = try #require(
      await failure { _ = try await b.application(remote).addPassword("another") })
    #expect(error.code == .keyMissing)
    let report = try await b.sync(remote)
    #expect(
      report.findings.contains { if case .keyMissing(let key) = $0 { key.isReplacement } else { false } })
    #expect(
      await refusal { try await Device("d", in: workplace).register(remote, .password("password 0")) }
        == .wrongPassword)
  }
}
