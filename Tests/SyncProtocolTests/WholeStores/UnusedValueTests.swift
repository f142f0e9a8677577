import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Long values whose sets were removed go as well, once nothing has mentioned them for a day.
@Suite struct UnusedValueTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)
  private static let day: UInt64 = 24 * 60 * 60 * 1_000
  private static let encryptions = [EncryptionChoice.none, .password("correct horse")]

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private var values: [RemotePath] { remote.paths { LongValueName($0) } }

  private func text(_ number: Int) -> String { String(repeating: "Page \(number) of many. ", count: 5_000) }

  private func exchange() async throws {
    for _ in 0..<2 { for device in [a, b] { try await device.sync(remote) } }
  }

  /// Two devices with two long texts, the first of which one has replaced, and two whole stores that hold what both show.
  private func history(_ encryption: EncryptionChoice = .none) async throws {
    for device in [a, b] { try await device.register(remote, encryption) }
    for number in 0..<2 { try a.write("note \(number)", text(number)) }
    try await exchange()
    try b.write("note 0", "short")
    try await exchange()
    for number in 0..<2 {
      for device in [a, b] { try device.write("between \(number)", "of \(device.client)") }
      try await exchange()
      try await a.uploadStore(remote)
    }
    try #require(values.count == 2)
  }

  /// The sets that mention the texts are gone.
  private func vacuumed(_ encryption: EncryptionChoice = .none) async throws {
    try await history(encryption)
    try await a.vacuum(remote)
    workplace.clock.advance(Self.day)
    try #require(try await !a.vacuum(remote).plan.sets.isEmpty)
  }

  @Test(arguments: encryptions)
  func `a value goes a day after its sets, and whoever joins has the text from a whole store`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await vacuumed(encryption)
    #expect(values.count == 2)
    workplace.clock.advance(Self.day - 1)
    let early = try await a.vacuum(remote).plan
    #expect(values.count == 2 && early.longValues.isEmpty && early.unusedLongValues == 2)
    workplace.clock.advance(1)

    let vacuum = try await a.vacuum(remote)

    #expect(vacuum.plan.longValues.count == 2 && vacuum.plan.unusedLongValues == 0 && vacuum.left == 0)
    #expect(values.isEmpty)
    try await c.begin(remote, encryption)
    try await c.sync(remote)
    #expect(try c.notes == a.notes && c.notes.contains("note 1: \(text(1))"))
    for device in [a, b, c] { #expect(try await device.sync(remote).findings.isEmpty) }
    #expect(try await a.vacuum(remote).plan.longValues.isEmpty)
  }

  @Test func `a plan alone remembers nothing`() async throws {
    try await vacuumed()
    for _ in 0..<2 {
      workplace.clock.advance(Self.day)
      #expect(try await b.vacuum(remote, dryRun: true).plan.longValues.isEmpty)
    }
    #expect(try b.remembered("unused") == 0)
  }

  @Test(arguments: encryptions)
  func `one that is written once more meanwhile stays`(_ encryption: EncryptionChoice) async throws {
    try await vacuumed(encryption)
    try b.write("again", text(0))
    try await exchange()
    workplace.clock.advance(Self.day)

    try await a.vacuum(remote)

    #expect(values.count == 1)
    try await c.begin(remote, encryption)
    try await c.sync(remote)
    #expect(try c.notes.contains("again: \(text(0))"))
  }

  @Test func `one that somebody asks for stays`() async throws {
    try await history()
    let asked = try LongValueName(ContentHash(of: [1, 2, 3]), key: nil)
    let path = DocumentHierarchy.notes.file(of: asked)
    try await remote.upload([1, 2, 3], to: path)
    let request = try await b.protection().request(
      asker: try b.author, subject: .value(asked.digits), count: 1)
    try await remote.upload([], to: DocumentHierarchy.notes.file(of: request))

    let plan = try await a.vacuum(remote, grace: 0).plan

    #expect(plan.longValues.count == 2 && values == [path])
  }

  @Test func `one that a whole store lacks stays`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try a.write("note", text(0))
    try await a.sync(remote)
    let value = try #require(values.first)
    let bytes = try await remote.download(value, limit: .max)
    try await remote.remove(value)
    for number in 0..<2 {
      for device in [a, b] { try device.write("between \(number)", "of \(device.client)") }
      try await b.sync(remote)
      try await b.uploadStore(remote)
      try await a.sync(remote)
    }
    try await remote.upload(bytes, to: value)
    try await exchange()

    let plan = try await a.vacuum(remote, grace: 0).plan

    #expect(!plan.sets.isEmpty && plan.longValues.isEmpty)
    #expect(values == [value])
  }

  @Test func `while a set cannot be read nothing tells what it mentions, and all stay`() async throws {
    try await history()
    let sets = remote.paths { SetName($0) }
    for set in sets { remote.refuse(set, with: .forbidden) }
    let plan = try await a.vacuum(remote, grace: 0).plan
    #expect(plan.longValues.isEmpty && values.count == 2)

    for set in sets { remote.refuse(set, with: nil) }
    #expect(try await a.vacuum(remote, grace: 0).plan.longValues.count == 2)
  }

  @Test func `what somebody without a key puts in the place of sets keeps no value there`() async throws {
    try await history(.password("correct horse"))
    let folder = DocumentHierarchy.notes.changes(of: try a.author)
    let junk = SetName(sequence: 9_999, hash: ContentHash(of: [1, 2, 3]))
    try await remote.upload([1, 2, 3], to: folder / junk.name)

    #expect(try await a.vacuum(remote, grace: 0).plan.longValues.count == 2)
    #expect(values.isEmpty)
  }

  @Test func `a set that goes is removed before what it mentions`() async throws {
    try await history()
    let stubborn = try #require(values.first)
    remote.refuse(stubborn, with: .forbidden)
    let vacuum = try await a.vacuum(remote, grace: 0)
    #expect(vacuum.plan.longValues.count == 2)
    #expect(remote.paths { SetName($0) }.count == 2)
    try await c.begin(remote)
    #expect(try c.notes == a.notes)
  }
}
