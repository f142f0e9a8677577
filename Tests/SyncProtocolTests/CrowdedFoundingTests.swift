import BackendConformance
import ByteFixtures
import ChangeTracking
import Testing

@testable import SyncProtocol

/// More foundings of one document than devices can have made. Without encryption anybody can invent them.
@Suite struct CrowdedFoundingTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private let hierarchy = DocumentHierarchy.notes

  /// Invents foundings that are newer than all others, and whose names come before those of all others.
  @discardableResult
  private func forge(
    _ count: Int, format: (name: String, version: UInt16) = (FoundingRecord.compact, 1)
  ) async throws -> [IntegrityKey] {
    let names = try NameAuthenticator(keys: nil)
    let least = remote.paths { FoundingName($0) }.filter { $0.parent == hierarchy.integrityKey }
      .compactMap { $0.name.flatMap { FoundingName($0) } }.min()
    var forged: [IntegrityKey] = []
    var generator = SeededGenerator(seed: 17)
    while forged.count < count {
      let record = FoundingRecord(
        key: nil, time: .max, application: hierarchy.application.application.description,
        document: hierarchy.document.description, format: format.name,
        formatVersion: format.version, creator: "forged", nonce: FoundingRecord.nonce(using: &generator))
      let statement = hierarchy.statement(founding: record.integrityKey, key: nil)
      let name = FoundingName(record.integrityKey, key: nil, code: names.code(statement))
      if let least, least < name { continue }
      try await remote.upload(try record.encoded(with: nil), to: hierarchy.file(of: name))
      forged.append(name.integrityKey)
    }
    return forged
  }

  /// Invents a head for a founding.
  private func forgeHead(_ founding: IntegrityKey, author: AuthorID) async throws {
    let protection = try DocumentProtection(keys: nil, hierarchy: hierarchy, own: founding)
    let name = protection.head(author: author, sequence: 0, seen: 0, hash: nil)
    try await remote.upload([], to: hierarchy.file(of: name))
  }

  private func agree(_ devices: [Device], _ notes: [String]) async throws {
    for _ in 0..<4 { for device in devices { try await device.sync(remote) } }
    for device in devices { #expect(try device.notes == notes) }
  }

  @Test(arguments: [("compact", 2), ("classic", 1), ("", 0)] as [(String, UInt16)])
  func `a newer founding in a format that is not read keeps nobody from joining another`(
    _ format: (name: String, version: UInt16)
  ) async throws {
    try await a.register(remote)
    try a.write("note", "by a")
    try await a.sync(remote)
    try await forge(1, format: format)

    try await b.register(remote)

    try await agree([a, b], ["note: by a"])
  }

  @Test func `a newcomer joins the founding that devices take part in, however many others there are`()
    async throws
  {
    try await a.register(remote)
    try a.write("note", "by a")
    try await a.sync(remote)
    try await forge(40)

    try await c.register(remote)
    try c.write("reply", "by c")

    try await agree([a, c], ["note: by a", "reply: by c"])
  }

  @Test func `two foundings that meet become one in a crowd of invented ones`() async throws {
    let elsewhere = MemoryBackend()
    try await a.register(remote)
    try a.write("one", "by a")
    try await a.sync(remote)
    try await b.register(elsewhere)
    try b.write("two", "by b")
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
    try await forge(40)

    try await agree([a, b], ["one: by a", "two: by b"])
    try await c.register(remote)
    try await agree([a, b, c], ["one: by a", "two: by b"])
  }

  @Test func `some invented heads separate a newcomer from nobody`() async throws {
    try await a.register(remote)
    try a.write("note", "by a")
    try await a.sync(remote)
    for (number, founding) in try await forge(40).enumerated() where number < 10 {
      try await forgeHead(founding, author: AuthorID(bits: UInt64(number) + 1))
    }

    try await c.register(remote)
    try c.write("reply", "by c")

    try await agree([a, c], ["note: by a", "reply: by c"])
  }

  @Test func `who begins with a whole store begins with that of the devices`() async throws {
    try await a.register(remote)
    try a.write("note", "by a")
    try await a.sync(remote)
    try await a.uploadStore(remote)
    try await forge(40)

    let begun = try await c.begin(remote)

    #expect(begun.store != nil)
    #expect(try c.notes == ["note: by a"])
  }

  @Test(arguments: [false, true])
  func
    `where nothing tells which is the right one a newcomer says so, and joins once the records are removed`(
      _ hasHeads: Bool
    ) async throws
  {
    try await a.register(remote)
    try a.write("note", "by a")
    try await a.sync(remote)
    for (number, founding) in try await forge(40).enumerated() where hasHeads {
      try await forgeHead(founding, author: AuthorID(bits: UInt64(number) + 1))
    }
    if !hasHeads { for head in remote.paths({ HeadName($0) }) { try await remote.remove(head) } }

    let failure = await #expect(throws: SyncError.self) { try await c.register(remote) }
    #expect(failure?.code == .tooManyFoundings)
    #expect(failure?.message.contains("41") == true)
    await #expect(throws: SyncError.self) { try await c.begin(remote) }

    // As the failure says.
    for path in remote.paths({ FoundingName($0) }) where path.parent == hierarchy.integrityKey {
      try await remote.remove(path)
    }
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await a.sync(remote)
    try await c.register(remote)
    try await agree([a, c], ["note: by a"])
  }

  @Test func `of more foundings than can be united every device that lacks some says so`() async throws {
    let devices = (0..<20).map { Device("founder-\($0)", in: workplace) }
    for (number, device) in devices.enumerated() {
      let elsewhere = MemoryBackend()
      try await device.register(elsewhere)
      try device.write("note \(number)", "text")
      try await device.sync(elsewhere)
      remote.meet(elsewhere)
    }
    for _ in 0..<5 { for device in devices { try await device.sync(remote) } }
    for device in devices {
      let report = try await device.sync(remote)
      let isTold = report.findings.contains { "\($0)".contains("20 devices") }
      #expect(isTold == (try device.notes.count < 20), "\(device.client): \(report.findings)")
      #expect(report.isBlocked == isTold)
      #expect(report.requests < 40)
    }
  }

  @Test func `invented foundings without heads alarm nobody`() async throws {
    try await a.register(remote)
    try a.write("note", "by a")
    try await a.sync(remote)
    try await forge(40)
    for _ in 0..<5 { #expect(try await !a.sync(remote).findings.contains { "\($0)".contains("41 devices") }) }
  }
}
