import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// The key of a remote is replaced because somebody who must not read on has it.
@Suite struct KeyReplacementTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let a: Device
  private let b: Device
  private let lost: Device

  init() async throws {
    workplace = try Workplace()
    (a, b, lost) = workplace.devices()
    for device in [a, b, lost] { try await device.register(remote, .password("first")) }
    try a.write("one", "by a")
    for device in [a, b, lost] { try await device.sync(remote) }
  }

  private func replace(_ device: Device, _ password: String, _ backend: (any SyncBackend)? = nil) async throws
  {
    device.setKeys(try await device.application(backend ?? remote).replaceKeys(password: password))
  }

  private func give(_ password: String, to device: Device) async throws {
    try await device.register(remote, .keysAndPassword(try #require(device.ring), password))
  }

  private func sync(_ devices: Device...) async throws {
    for _ in 0..<3 { for device in devices { try await device.sync(remote) } }
  }

  private func asksForKey(_ report: SyncReport) -> Bool {
    report.findings.contains { if case .keyMissing = $0 { true } else { false } }
  }

  @Test func `who stays reads everything, and who was left out nothing that comes after`() async throws {
    try await replace(a, "second")
    try await give("second", to: b)
    try a.write("two", "by a")
    try b.write("three", "by b")
    try await sync(a, b, lost)

    #expect(try a.notes == ["one: by a", "three: by b", "two: by a"])
    #expect(try b.notes == a.notes)
    #expect(try lost.notes == ["one: by a"])
    let newcomer = Device("newcomer", in: workplace)
    try await newcomer.register(remote, .password("second"))
    try await sync(newcomer)
    #expect(try newcomer.notes == a.notes)
    #expect(
      await refusal { try await Device("d", in: workplace).register(remote, .password("first")) }
        == .wrongPassword)
  }

  @Test func `who is to take over a whole store that a new key seals is told to give the password first`()
    async throws
  {
    try await replace(a, "second")
    try a.write("two", "by a")
    try await sync(a)
    try await a.uploadStore(remote)

    let error = await #expect(throws: SyncError.self) { try await b.rejoin(remote) }

    #expect(error?.code == .keyMissing)
    #expect(error?.message.contains("new password") == true, "\(String(describing: error))")
    try await give("second", to: b)
    try await b.rejoin(remote)
    #expect(try b.notes == a.notes)
  }

  @Test(arguments: [1, 2])
  func `the new password gives back keys that were lost, though the remote is away`(replacements: Int)
    async throws
  {
    for number in 1...replacements {
      try await replace(a, "password \(number)")
      try await a.manager(remote).keepPasswordFiles()
      try await give("password \(number)", to: b)
    }
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await sync(a, b)

    for device in [a, b] {
      let former = try #require(device.ring)
      let ring = try await device.manager(MemoryBackend()).resume(.password("password \(replacements)"))
      #expect(ring.map { Set($0.identifiers) } == Set(former.identifiers))
      #expect(ring?.primary.identifier == former.newest.identifier)
    }
  }

  @Test func `where the keys were replaced twice, only the key that is in use is asked for`() async throws {
    try await replace(a, "second")
    try await replace(a, "third")
    try a.write("two", "by a")
    try await a.sync(remote)

    try await b.sync(remote)

    #expect(try await b.status().missingKeys.map(\.identifier) == [a.ring?.newest.identifier])
  }

  @Test func `while there is no file of the new key nobody is asked for its password alone`() async throws {
    try await replace(a, "second")
    try a.write("two", "by a")
    try await a.sync(remote)
    for path in remote.paths({ KeyFileName($0) }) { remote.hide(path) }

    let findings = try await b.sync(remote).findings

    let missing = findings.filter { if case .keyMissing = $0 { true } else { false } }
    #expect(missing.count == 1)
    #expect(missing.allSatisfy { "\($0)".contains("late, or lost") && "\($0)".contains("once more") })
  }

  @Test func `who has not the new key is told that the keys were replaced, and nothing that is not so`()
    async throws
  {
    try await replace(a, "second")
    try a.write("two", "by a")
    try await a.sync(remote)
    for _ in 0..<3 {
      let findings = try await b.sync(remote).findings
      #expect(findings.count == 1)
      #expect(findings.first?.description.contains("Give this device the new password") == true)
    }
    let status = try await b.manager(remote).status()
    #expect(status.missingKeys.map(\.isReplacement) == [true])
    #expect(status.replica.applied.map { status.names[$0.author] } == ["Device device-a"])
  }

  @Test func `no key of before opens the new one, whatever lies there and whoever was given it`() async throws
  {
    let former = try #require(lost.ring)
    try await replace(a, "second")
    try await give("second", to: b)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await sync(a, b)
    let hierarchy = DocumentHierarchy.notes.application
    let wrapped = remote.paths { WrappedKeyName($0) }.compactMap { $0.name.flatMap { WrappedKeyName($0) } }
    let exchange = KeyExchange(backend: remote, hierarchy: hierarchy)
    #expect(try await exchange.adding(Set(wrapped), to: former).all.count == former.all.count)
    #expect(wrapped.map(\.key) == [former.primary.identifier])
  }

  @Test func `a key that somebody who was left out wraps for the others is not taken up`() async throws {
    let former = try #require(lost.ring)
    let own = try MasterKey.generate(replacing: former)
    let name = WrappedKeyName(own.identifier, wrapping: former.primary.identifier)
    let hierarchy = DocumentHierarchy.notes.application
    let sealed = try SealedContainer.seal(
      own.withUnsafeBytes { Array($0) },
      as: SealedContext(role: .wrappedKey, identity: hierarchy.identity(of: name)), with: former.primary)
    try await remote.upload(sealed, to: hierarchy.encryption / name.name)
    let exchange = KeyExchange(backend: remote, hierarchy: hierarchy)
    #expect(try await exchange.adding([name], to: former).all.count == 1)
  }

  @Test func `a device that was not given the new password says so, and what it writes reaches all`()
    async throws
  {
    try await replace(a, "second")
    try a.write("two", "by a")
    try await a.sync(remote)
    try b.write("three", "by b")
    #expect(asksForKey(try await b.sync(remote)))
    try await a.sync(remote)
    #expect(try a.notes == ["one: by a", "three: by b", "two: by a"])
    try await give("second", to: b)
    try await sync(a, b)
    #expect(try b.notes == a.notes)
  }

  @Test func `a password that opens the former key is refused`() async throws {
    #expect(await refusal { try await replace(a, "first") } == .weakPassword)
  }

  @Test func `keys are replaced again and again, and newcomers read all of it`() async throws {
    for (number, password) in ["second", "third", "fourth"].enumerated() {
      try await replace(a, password)
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    try await give("fourth", to: b)
    let newcomer = Device("newcomer", in: workplace)
    try await newcomer.register(remote, .password("fourth"))
    try await sync(a, b, newcomer)
    #expect(try newcomer.notes == a.notes && b.notes == a.notes)
    #expect(try a.notes.count == 4)
  }

  @Test func `of two who replace the keys at once, whoever has both passwords makes one document of it`()
    async throws
  {
    let elsewhere = MemoryBackend()
    elsewhere.meet(remote)
    try await replace(a, "by a")
    try await replace(b, "by b", elsewhere)
    remote.meet(elsewhere)
    try a.write("two", "by a")
    try b.write("three", "by b")
    try await sync(a, b)
    try await give("by b", to: a)
    // Who misses a key looks for it again after growing pauses.
    for _ in 0..<3 { try await sync(a, b, lost) }
    #expect(try a.notes == ["one: by a", "three: by b", "two: by a"])
    let last = try await b.sync(remote)
    let notes = try b.notes
    #expect(notes == ["one: by a", "three: by b", "two: by a"], "\(last.findings)")
    #expect(try lost.notes == ["one: by a"])
  }

  @Test(arguments: [true, false])
  func `of two who replace the keys, the password of who did it more often holds once a third has both`(
    _ isGivenOlderFirst: Bool
  ) async throws {
    let elsewhere = MemoryBackend()
    elsewhere.meet(remote)
    try await replace(a, "by a", elsewhere)
    for password in ["by b", "by b again"] { try await replace(b, password) }
    remote.meet(elsewhere)
    let third = lost
    func change(from old: String) async throws {
      try await third.application(remote).changePassword(from: old, to: "by the third")
    }

    let first = await failure { try await change(from: "by a") }
    #expect(
      first?.code == .keyMissing && first?.recovery.contains("Give this device the new password") == true)
    if !isGivenOlderFirst {
      try await give("by b again", to: third)
      let second = await failure { try await change(from: "by a") }
      #expect(second?.code == .wrongPassword && second?.recovery.contains("give it to this device") == true)
    }
    for password in ["by a"] + (isGivenOlderFirst ? ["by b again"] : []) {
      try await give(password, to: third)
    }
    let last = await failure { try await change(from: "by a") }
    #expect(last?.code == .wrongPassword && last?.recovery.contains("the one that holds now") == true)

    try await change(from: "by b again")
    let newcomer = Device("newcomer", in: workplace)
    for former in ["by a", "by b again"] {
      #expect(await refusal { try await newcomer.register(remote, .password(former)) } == .wrongPassword)
    }
    try await newcomer.register(remote, .password("by the third"))
    try await newcomer.sync(remote)
    #expect(try newcomer.notes == ["one: by a"])
  }

  @Test(arguments: [true, false])
  func `a password that was replaced before foundings met opens nothing once they have`(
    _ isGivenNew: Bool
  ) async throws {
    let (here, there) = (MemoryBackend(), MemoryBackend())
    let (x, y, z) = (Device("x", in: workplace), Device("y", in: workplace), Device("z", in: workplace))
    try await x.register(here, .password("first"))
    for device in [y, z] { try await device.register(there, .password("first")) }
    try x.write("one", "by x")
    try y.write("two", "by y")
    try await x.sync(here)
    for device in [y, z] { try await device.sync(there) }
    try await replace(x, "second", here)
    here.meet(there)

    // Either of them is given the password of the other.
    let (device, password) = isGivenNew ? (y, "second") : (x, "first")
    try await device.register(here, .keysAndPassword(try #require(device.ring), password))

    let thief = Device("thief", in: workplace)
    #expect(await refusal { try await thief.register(here, .password("first")) } == .wrongPassword)
    // Who has not the new one is told as after any replacement, and goes on meanwhile.
    for member in [x, device] { try await member.sync(here) }
    try z.write("three", "by z")
    let reports = [try await z.sync(here), try await z.sync(here)]
    #expect(reports.contains { $0.findings.contains { "\($0)".contains("new password") } })
    for other in [y, z] where !(other.ring?.all.contains { $0.generation == 1 } ?? false) {
      try await other.register(here, .keysAndPassword(try #require(other.ring), "second"))
    }
    for _ in 0..<4 { for device in [x, y, z] { try await device.sync(here) } }
    let newcomer = Device("newcomer", in: workplace)
    try await newcomer.register(here, .password("second"))
    try await newcomer.sync(here)
    for device in [x, y, z, newcomer] {
      #expect(try device.notes == ["one: by x", "three: by z", "two: by y"], "\(device.client)")
    }
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of a replacement fails, the next attempt completes it and nothing is lost`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    let ring = try #require(a.ring)
    var requests = 0
    while true {
      let elsewhere = MemoryBackend()
      elsewhere.meet(remote)
      a.setKeys(ring)
      let faulty = FaultyBackend(elsewhere, after: requests, fault)
      _ = await Result { try await replace(a, "second", faulty) }
      guard faulty.hasFailed else { break }
      a.setKeys(ring)
      let late = Device("late-\(requests)-\(fault)", in: workplace)
      let isOpen = await refusal { try await late.register(elsewhere, .password("first")) } == nil
      let isNew = await refusal { try await late.register(elsewhere, .password("second")) } == nil
      #expect(isOpen || isNew, "after \(requests) requests")

      if await refusal({ try await replace(a, "second", elsewhere) }) != nil {
        // It was done but for the answer: the password gets the key.
        a.setKeys(try await a.application(elsewhere).register(.keysAndPassword(ring, "second")).keys)
      }
      #expect(try #require(a.ring).primary.generation == 1, "after \(requests) requests")
      #expect(
        await refusal {
          try await Device("old-\(requests)-\(fault)", in: workplace).register(elsewhere, .password("first"))
        }
          == .wrongPassword, "after \(requests) requests")
      let newcomer = Device("newcomer-\(requests)-\(fault)", in: workplace)
      try await newcomer.register(elsewhere, .password("second"))
      try await newcomer.sync(elsewhere)
      #expect(try newcomer.notes == ["one: by a"], "after \(requests) requests")
      requests += 1
    }
    #expect(requests > 8)
  }
}
