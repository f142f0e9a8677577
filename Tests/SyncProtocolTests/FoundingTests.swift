import BackendConformance
import ChangeTracking
import Crypto
import Inspection
import Testing

@testable import SyncProtocol

/// Devices that found a remote while others do, or before it has arrived.
@Suite struct FoundingTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private let application = DocumentHierarchy.notes.application

  /// `a` and `b` found the document, each on storage of its own, write a note and synchronise; then the folders meet.
  private func foundApart(_ one: EncryptionChoice, _ other: EncryptionChoice) async throws {
    let elsewhere = MemoryBackend()
    try await a.register(remote, one)
    try a.write("one", "by a")
    try await a.sync(remote)
    try await b.register(elsewhere, other)
    try b.write("two", "by b")
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
  }

  private func agree(_ devices: [Device], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for _ in 0..<3 { for device in devices { try await device.sync(remote) } }
    let notes = try devices[0].notes
    #expect(notes == ["one: by a", "two: by b"], sourceLocation: sourceLocation)
    for device in devices {
      #expect(try device.notes == notes, sourceLocation: sourceLocation)
      let last = try await device.sync(remote)
      #expect(last.requests == 1 && last.findings.isEmpty, "\(last.findings)", sourceLocation: sourceLocation)
    }
  }

  private func asksForKey(_ report: SyncReport) -> Bool {
    report.findings.contains { if case .keyMissing = $0 { true } else { false } }
  }

  // MARK: Two foundings that meet

  @Test func `only where there is encryption a warning speaks of passwords`() {
    let key = IntegrityKey(ContentHash(of: [1]))
    for isEncrypted in [true, false] {
      let sentence = "\(SyncFinding.foundingUnconfirmed(key, isEncrypted: isEncrypted))"
      #expect(sentence.contains("password") == isEncrypted)
    }
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a device whose head was lost is called by its name`(_ encryption: EncryptionChoice) async throws {
    try await b.register(remote, encryption)
    try b.write("one", "text")
    try await b.sync(remote)
    for path in remote.paths({ HeadName($0) }) { try await remote.remove(path) }
    try await a.register(remote, encryption)
    let report = try await a.sync(remote)
    let author = try b.author
    #expect(report.findings.contains(.headMissing(author: author)))
    let sentence = report.sentence(.headMissing(author: author))
    #expect(sentence.contains("“Device device-b”"), "\(sentence)")
  }

  @Test func `without encryption, foundings that meet become one by themselves`() async throws {
    try await foundApart(.none, .none)
    try await agree([a, b])
    try await c.register(remote)
    try await agree([a, b, c])
  }

  @Test func `with one password, a newcomer heals the rings of all devices`() async throws {
    try await foundApart(.password("pass"), .password("pass"))
    #expect(asksForKey(try await a.sync(remote)))
    #expect(asksForKey(try await b.sync(remote)))
    #expect(try a.notes == ["one: by a"])

    try await c.register(remote, .password("pass"))
    try await agree([a, b, c])
  }

  @Test func `with two passwords, all devices say so until somebody gives both`() async throws {
    try await foundApart(.password("by a"), .password("by b"))
    for device in [a, b, a, b] { #expect(asksForKey(try await device.sync(remote))) }

    let ring = try #require(a.ring)
    try await a.register(remote, .keysAndPassword(ring, "by b"))
    try await agree([a, b])
    // Newcomers can use either.
    try await c.register(remote, .password("by a"))
    let d = Device("device-d", in: workplace)
    try await d.register(remote, .password("by b"))
    try await agree([a, b, c, d])
  }

  @Test func `keys whose files storage has lost are put back at once, so that the others learn of them`()
    async throws
  {
    try await foundApart(.password("by a"), .password("by b"))
    for path in remote.paths({ KeyFileName($0) }) { try await remote.remove(path) }
    for device in [a, b] { try await device.sync(remote) }
    for device in [a, b] { #expect(asksForKey(try await device.sync(remote))) }

    try await a.register(remote, .keysAndPassword(try #require(a.ring), "by b"))
    try await agree([a, b])
  }

  @Test func `the password opens a key that is not at hand even if storage has lost its file`() async throws {
    try await foundApart(.password("pass"), .password("pass"))
    let own = try #require(a.ring).primary.identifier
    for path in remote.paths({ KeyFileName($0)?.key == own ? $0 : nil }) { try await remote.remove(path) }
    a.forgetKeys()

    #expect(await refusal { try await a.register(remote, .password("pass")) } == .keyMissing)
    try await a.register(remote, .password("pass"))

    try await agree([a, b])
  }

  @Test func `a password that is given serves in the next synchronisation, however long it was missed`()
    async throws
  {
    try await foundApart(.password("by a"), .password("by b"))
    for _ in 0..<10 { for device in [a, b] { try await device.sync(remote) } }
    try await a.register(remote, .keysAndPassword(try #require(a.ring), "by b"))
    #expect(try await !asksForKey(a.sync(remote)))
    #expect(try a.notes == ["one: by a", "two: by b"])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `whichever listing another device founds after, both take part`(_ encryption: EncryptionChoice)
    async throws
  {
    var number = 0
    while true {
      let remote = MemoryBackend()
      let (one, other) = (Device("one-\(number)", in: workplace), Device("other-\(number)", in: workplace))
      let overtaken = OvertakenBackend(remote, after: number) {
        _ = try? await one.register(remote, encryption)
      }
      try await other.register(overtaken, encryption)
      guard overtaken.wasOvertaken else { break }
      try one.write("one", "by one")
      try other.write("two", "by other")
      for _ in 0..<3 { for device in [one, other] { try await device.sync(remote) } }

      #expect(try one.notes == ["one: by one", "two: by other"], "after listing \(number)")
      #expect(try other.notes == one.notes, "after listing \(number)")
      number += 1
    }
    #expect(number > 5)
  }

  @Test(arguments: ["", "Documents", "ClientDevices", "Documents/notes/RecentSyncs"], [false, true])
  func `nobody founds anew beside a folder whose name was changed to lower case`(
    _ folder: String, _ isEncrypted: Bool
  ) async throws {
    // Given one file of what was founded; the rest is late, or lost.
    var names = application.root.names + folder.split(separator: "/").compactMap { RemoteName(String($0)) }
    let parent = names.dropLast()
    names[names.count - 1] = try #require(RemoteName("\(names[names.count - 1])".lowercased()))
    if folder.isEmpty { names = [try #require(RemoteName("Com.Example.Notes"))] }
    let path = RemotePath(names) / (try #require(RemoteName("file")))
    for depth in 1...names.count { try await remote.makeFolder(RemotePath(Array(names.prefix(depth)))) }
    try await remote.upload([1], to: path)

    #expect(
      await refusal { try await a.register(remote, isEncrypted ? .password("pass") : .none) } == .notDelivered
    )

    #expect(remote.files.keys.filter { $0.names.starts(with: parent) } == [path])
  }

  @Test func `of a founding with encryption and one without, both sides are told and nothing is mixed`()
    async throws
  {
    try await foundApart(.none, .password("pass"))
    for _ in 0..<2 {
      let plain = try await a.sync(remote)
      let sealed = try await b.sync(remote)
      #expect(plain.findings.contains { if case .foundedEncrypted = $0 { true } else { false } })
      #expect(sealed.findings.contains { if case .unverifiedHeads = $0 { true } else { false } })
    }
    #expect(try a.notes == ["one: by a"] && b.notes == ["two: by b"])
    // Nobody joins in the clear any more.
    #expect(await refusal { try await c.register(remote) } == .passwordRequired)
    try await c.register(remote, .password("pass"))
    try await c.sync(remote)
    #expect(try c.notes == ["two: by b"])
  }

  @Test func `keys that came from others outlast the program, sealed`() async throws {
    try await foundApart(.password("pass"), .password("pass"))
    try await c.register(remote, .password("pass"))
    try await agree([a, b, c])
    for path in remote.paths({ WrappedKeyName($0) }) { try await remote.remove(path) }
    try b.write("two", "by b again")
    try await b.sync(remote)
    try await a.sync(remote)
    #expect(try a.notes == ["one: by a", "two: by b again"])
  }

  @Test func `of a wrapped key that somebody else has made nothing is believed`() async throws {
    try await foundApart(.password("pass"), .password("pass"))
    let names = remote.paths { KeyFileName($0) }.compactMap { $0.name.flatMap { KeyFileName($0) }?.key }
    for (key, wrapping) in [(names[0], names[1]), (names[1], names[0])] {
      let name = WrappedKeyName(key, wrapping: wrapping).name
      try await remote.upload([1, 2, 3], to: application.encryption.appending(name))
    }
    #expect(asksForKey(try await a.sync(remote)))
    #expect(asksForKey(try await b.sync(remote)))
    // It does not keep the right one away.
    try await c.register(remote, .password("pass"))
    try await agree([a, b, c])
  }

  @Test func `sets that were made before registration are not pushed in the clear`() async throws {
    try a.write("one", "by a")
    try a.freeze()
    try await a.register(remote, .password("pass"))
    try await a.sync(remote)
    let sets = remote.paths { SetName($0) }
    #expect(!sets.isEmpty && sets.allSatisfy { SealedContainer.isSealed(remote.files[$0] ?? []) })
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    #expect(try b.notes == ["one: by a"])
  }

  @Test func `sets that were made before registration are read as the document's where nothing is encrypted`()
    async throws
  {
    try a.write("one", "by a")
    try a.freeze()
    for device in [a, b] {
      try await device.register(remote)
      try await device.sync(remote)
    }
    #expect(try b.notes == ["one: by a"])
  }

  @Test func `a password is not called wrong while the file of the key that it may open is gone`()
    async throws
  {
    try await a.register(remote, .password("pass"))
    let ring = try #require(a.ring)
    for path in remote.paths({ KeyFileName($0) }) { try await remote.remove(path) }

    let error = await #expect(throws: SyncError.self) {
      _ = try await a.application(remote).register(.keysAndPassword(ring, "pass"), mayCreate: false)
    }

    #expect(error?.code == .keysNotDelivered)
  }

  // MARK: At once, on one folder

  @Test func `with one password, two that found at once have both keys`() async throws {
    let interleaved = InterleavingBackend(remote, before: application.readMe.description) { [b, remote] in
      _ = try? await b.register(remote, .password("pass"))
    }
    try await a.register(interleaved, .password("pass"))
    try a.write("one", "by a")
    try b.write("two", "by b")
    try await agree([a, b])
  }

  @Test func `with two passwords, one founding remains and the other device is told`() async throws {
    for seed in UInt64(1)...6 {
      let remote = MemoryBackend()
      let workplace = try Workplace(seed: seed)
      let (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
      let interleaved = InterleavingBackend(remote, before: application.readMe.description) {
        _ = try? await b.register(remote, .password("by b"))
      }
      #expect(await refusal { try await a.register(interleaved, .password("by a")) } == .wrongPassword)
      #expect(remote.paths { KeyFileName($0) }.count == 1)
      #expect(remote.paths { FoundingName($0) }.filter { $0.parent == application.founding }.count == 1)
      #expect(try await !a.register(remote, .password("by b")).isNew)
    }
  }

  @Test func `a founding without encryption is withdrawn if there is one with`() async throws {
    let interleaved = InterleavingBackend(remote, before: application.readMe.description) { [b, remote] in
      _ = try? await b.register(remote, .password("pass"))
    }
    #expect(await refusal { try await a.register(interleaved) } == .passwordRequired)
    #expect(remote.paths { FoundingName($0) }.allSatisfy { !$0.description.contains("plain") })
    #expect(try await !a.register(remote, .password("pass")).isNew)
  }

  @Test func `a founder that was interrupted is completed by whoever has the password`() async throws {
    for requests in 0..<20 {
      let remote = MemoryBackend()
      let (a, b) = (
        Device("device-a\(requests)", in: workplace), Device("device-b\(requests)", in: workplace)
      )
      _ = try? await a.register(FaultyBackend(remote, after: requests, .answerLost), .password("pass"))
      try await b.register(remote, .password("pass"))
      try await a.register(remote, .password("pass"))
      try a.write("one", "by a")
      try b.write("two", "by b")
      for device in [a, b, a, b] { try await device.sync(remote) }
      #expect(try a.notes == ["one: by a", "two: by b"])
      #expect(try b.notes == a.notes)
    }
  }

  @Test
  func `a founder of whose files the key file alone has arrived is completed with all that there should be`()
    async throws
  {
    let other = MemoryBackend()
    try await a.register(other, .password("pass"))
    let path = try #require(other.paths { KeyFileName($0) }.first)
    try await remote.makeFolder(application.root)
    try await remote.makeFolder(application.encryption)
    try await remote.upload(try await other.download(path, limit: 10_000), to: path)

    try await b.register(remote, .password("pass"))

    #expect(try await RemoteInspector(backend: remote, password: "pass").verify().findings.isEmpty)
    #expect(remote.paths { KeyFileName($0) } == [path])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a document whose founding record is damaged for good is joined by its name`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await a.register(remote, encryption)
    try a.write("one", "by a")
    try await a.sync(remote)
    let record = try #require(
      remote.paths { FoundingName($0) }.first { $0.parent == DocumentHierarchy.notes.integrityKey })
    remote.tamper(record) { $0 = Array($0.prefix(9)) }

    for _ in 1...2 { try await b.register(remote, encryption) }
    try b.write("two", "by b")
    for device in [b, a, b] { try await device.sync(remote) }

    #expect(try b.notes == ["one: by a", "two: by b"])
    #expect(try a.notes == b.notes)
  }
}
