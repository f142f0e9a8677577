import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Stores that were restored from a backup, or copied to another device.
@Suite struct IncarnationTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private func isNewIncarnation(_ report: SyncReport) -> Bool {
    report.findings.contains { if case .newIncarnation = $0 { true } else { false } }
  }

  @Test func `a restored store goes on as a new author and gets back what it had written`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    try a.write("one", "text")
    try await a.sync(remote)
    let backup = try a.backUp()
    let former = try a.author
    try a.write("two", "written after the backup")
    try await a.sync(remote)
    try await b.sync(remote)

    try a.restore(backup)
    try a.write("three", "written after the restoration")
    let report = try await a.sync(remote)
    try await b.sync(remote)

    #expect(isNewIncarnation(report))
    #expect(try a.author != former)
    #expect(
      try a.notes == ["one: text", "three: written after the restoration", "two: written after the backup"])
    #expect(try b.notes == a.notes)
    #expect(try await a.sync(remote).findings.isEmpty)
  }

  @Test func `a set that no head came to name before its store was restored is merged by nobody`()
    async throws
  {
    try await a.register(remote)
    try await b.register(remote)
    try await a.sync(remote)
    let backup = try a.backUp()
    try a.write("one", "never named")
    // The heads, the folder of sets and the set.
    let faulty = FaultyBackend(remote, after: 3, .requestLost)
    await #expect(throws: SyncError.self) { try await a.sync(faulty) }
    try #require(remote.paths { SetName($0) }.count == 1)

    try a.restore(backup)
    for number in 2...3 {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    try await b.sync(remote)
    try await a.sync(remote)

    #expect(try b.notes == a.notes)
    #expect(try a.notes == ["note 2: text", "note 3: text"])
  }

  @Test(arguments: [false, true])
  func `what is deleted after a restore stays deleted, though its former self had sent it since the backup`(
    isSeen: Bool
  ) async throws {
    let note = "01890000-0000-7000-8000-000000000001"
    for device in [a, b] { try await device.register(remote) }
    try a.write(note, "text")
    let backup = try a.backUp()
    try await a.sync(remote)
    if isSeen { try await b.sync(remote) }
    try a.restore(backup)
    try a.delete(note)

    for device in [a, b, a, b] { try await device.sync(remote) }

    #expect(try a.notes == [])
    #expect(try b.notes == [])
  }

  @Test func `what a copy of a store deletes before it was sent stays deleted everywhere`() async throws {
    let note = "01890000-0000-7000-8000-000000000001"
    for device in [a, b] { try await device.register(remote) }
    try await a.sync(remote)
    try a.write(note, "text")
    let copy = Device("device-a-copy", in: workplace)
    try copy.restore(try a.backUp())
    try copy.delete(note)

    for _ in 0..<3 { for device in [copy, a, b] { try await device.sync(remote) } }

    for device in [a, b, copy] { #expect(try device.notes == []) }
  }

  @Test func `what a restored store never had is not said to be sent again`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    try a.write("one", "text")
    try await a.sync(remote)
    try await b.sync(remote)
    let backup = try a.backUp()
    try a.write("two", "written after the backup")
    try await a.sync(remote)
    let lost = remote.paths { SetName($0) }.filter { $0.name.flatMap { SetName($0) }?.sequence == 2 }
    try #require(lost.count == 1)
    for path in lost { try await remote.remove(path) }
    try a.restore(backup)
    for _ in 0..<4 {
      try await b.sync(remote)
      try await a.sync(remote)
    }

    let asking = try await a.status().asking
    #expect(asking.map(\.sequence) == [2])
    #expect(asking.map(\.answer) == [.unknown])
  }

  @Test func `a store that was restored after it only had read goes on as a new author`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    try a.write("one", "text")
    try await a.sync(remote)
    let backup = try a.backUp()
    try b.write("two", "text")
    try await b.sync(remote)
    try await a.sync(remote)

    try a.restore(backup)
    let report = try await a.sync(remote)

    #expect(isNewIncarnation(report))
    #expect(try a.notes == ["one: text", "two: text"])
  }

  @Test func `a restored store with unpushed changes keeps them`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    try a.write("one", "text")
    let backup = try a.backUp()
    try a.write("two", "text")
    try await a.sync(remote)
    try a.restore(backup)
    try a.write("three", "text")

    for device in [a, b, a, b] { try await device.sync(remote) }

    #expect(try a.notes == ["one: text", "three: text", "two: text"])
    #expect(try b.notes == a.notes)
  }

  @Test(
    arguments: [ConflictAnswer.local, .remote, .latest],
    [EncryptionChoice.none, .password("a long password")])
  func `what a restored store says again can be read by all, whoever wins its conflicts`(
    answer: ConflictAnswer, encryption: EncryptionChoice
  ) async throws {
    try await a.register(remote, encryption)
    try await b.register(remote, encryption)
    try a.write("one", "text")
    try await a.sync(remote)
    try await b.sync(remote)
    let backup = try a.backUp()
    try a.write("one", "written before it was restored")
    try await a.sync(remote)
    try a.restore(backup)
    workplace.clock.advance(1_000)
    try a.write("one", "written afterwards")

    try await a.sync(remote, SyncOptions(conflicts: .always(answer)))
    try a.write("two", "written later")
    let own = try await a.sync(remote)
    let others = try await b.sync(remote)

    #expect(own.findings.isEmpty, "\(own.findings)")
    #expect(others.findings.isEmpty, "\(others.findings)")
    #expect(try b.notes == a.notes)
    let kept = answer == .remote ? "before it was restored" : "afterwards"
    #expect(try a.notes == ["one: written \(kept)", "two: written later"])
  }

  @Test func `a restored store asks about nothing that it had pushed`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    try a.write("one", "text")
    try await a.sync(remote)
    let backup = try a.backUp()
    try await b.sync(remote)
    try b.write("one", "later text")
    try await b.sync(remote)
    try await a.sync(remote)
    try a.write("two", "text")
    try await a.sync(remote)
    try a.restore(backup)
    try a.write("three", "text")

    let report = try await a.sync(remote, SyncOptions(conflicts: .always(.local)))

    #expect(isNewIncarnation(report))
    #expect(report.conflicts.isEmpty)
    #expect(try a.notes == ["one: later text", "three: text", "two: text"])
  }

  @Test func `two copies of one store that wrote at the same time are merged everywhere`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    try a.write("one", "text")
    try await a.sync(remote)
    try await b.sync(remote)
    let copy = Device("device-a-copy", in: workplace)
    try copy.restore(try a.backUp())
    // Both write the same sequence numbers while they cannot see each other.
    let elsewhere = remote.copy()
    for text in ["x", "y"] {
      try a.write("by a \(text)", text)
      try await a.sync(remote)
      try copy.write("by copy \(text)", text)
      try await copy.sync(elsewhere)
    }
    remote.meet(elsewhere)

    for _ in 0..<3 { for device in [b, a, copy] { try await device.sync(remote) } }

    let all = ["by a x: x", "by a y: y", "by copy x: x", "by copy y: y", "one: text"]
    #expect(try a.notes == all)
    #expect(try copy.notes == all)
    #expect(try b.notes == all)
    #expect(try a.author != copy.author)
    for device in [a, b, copy] {
      let last = try await device.sync(remote)
      #expect(last.requests == 1)
      #expect(last.findings.isEmpty)
    }
  }
}
