import BackendConformance
import ChangeTracking
import Foundation
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import SyncProtocol

/// Whole stores as no device writes them: a member has made them, or without encryption anybody.
@Suite struct HostileWholeStoreTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let folder: TemporaryFolder
  private let (a, b, c): (Device, Device, Device)

  /// Two devices that agree, and a whole store that lacks the last of three notes.
  init() async throws {
    workplace = try Workplace()
    folder = try TemporaryFolder()
    (a, b, c) = workplace.devices()
    for device in [a, b] { try await device.register(remote) }
    for number in 1...2 {
      try a.write("note \(number)", "by a")
      for device in [a, b] { try await device.sync(remote) }
    }
    try await a.uploadStore(remote)
    try a.write("note 3", "by a")
    for device in [a, b] { try await device.sync(remote) }
  }

  /// Uploads what a script makes of a copy of `b`'s store, as the newest whole store.
  @discardableResult
  private func upload(_ script: String, saying more: VersionVector = VersionVector()) async throws
    -> WholeStoreName
  {
    try await HostileUpload(remote: remote, device: b, folder: folder)(saying: more) {
      try $0.execute(script: script)
    }
  }

  private func expectAgreement() async throws {
    try c.write("by the newcomer", "text")
    for _ in 0..<3 { for device in [c, a, b] { try await device.sync(remote) } }
    #expect(try c.notes.count == 4)
    #expect(try a.notes == c.notes && b.notes == c.notes)
  }

  @Test(arguments: [
    "DELETE FROM TICDS_LOCAL", "DELETE FROM TICDS_PROPERTY",
    "UPDATE TICDS_LOCAL SET bit = 99", "UPDATE TICDS_ENTITY SET path = x'FFFFFF'",
    "UPDATE TICDS_ENTITY SET local = 99", "UPDATE TICDS_PROPERTY SET kind = 7",
  ])
  func `one that no replica can be made of is refused, and the next one is taken`(_ script: String)
    async throws
  {
    let name = try await upload(script)
    try await expectRefusal(of: name)
  }

  private func expectRefusal(of name: WholeStoreName) async throws {
    let begun = try await c.begin(remote)
    #expect(begun.store != nil && begun.store != name)
    #expect(begun.findings.contains { if case .wholeStoreRefused(name, _) = $0 { true } else { false } })
    try await expectAgreement()
  }

  @Test(arguments: [
    "DELETE FROM note WHERE text LIKE '%2%' OR id = 2", "DELETE FROM note",
    "UPDATE note SET syncid = 'another' WHERE id = 2", "UPDATE note SET id = id + 100",
    "UPDATE TICDS_OBJECT SET row = NULL WHERE id = 2", "UPDATE TICDS_OBJECT SET row = 7 WHERE row = 2",
    "UPDATE TICDS_OBJECT SET inserted = 0, inserter = 0, covered = 0 WHERE id = 2",
    "UPDATE TICDS_OBJECT SET clocks = x'FFFFFFFFFFFFFFFFFF010101'",
    "UPDATE TICDS_OBJECT SET clocks = x'C8010101'",
    "UPDATE TICDS_OBJECT SET clocks = x'00'", "UPDATE TICDS_OBJECT SET inserter = 99",
    "UPDATE TICDS_OBJECT SET deleter = -1", "UPDATE TICDS_OBJECT SET covered = -1",
    "DELETE FROM TICDS_SET", "DELETE FROM TICDS_SET WHERE sequence = 2",
    "UPDATE TICDS_AUTHOR SET collected = 8", "UPDATE TICDS_AUTHOR SET collected = -1",
    "UPDATE TICDS_OBJECT SET inserted = -5, deleted = -9 WHERE row IS NOT NULL",
    "INSERT INTO TICDS_LINK SELECT id, 0, id, -1, 1, 0, 0 FROM TICDS_OBJECT",
    "INSERT INTO TICDS_VALUE SELECT id, 0, x'FF', 0 FROM TICDS_OBJECT",
    "INSERT INTO TICDS_TARGET SELECT id, 0, 99 FROM TICDS_OBJECT",
    "INSERT INTO TICDS_LINK SELECT id, 0, 99, 1, 1, 0, 0 FROM TICDS_OBJECT",
  ])
  func `one whose rows, records and sets contradict each other is refused by its name`(
    _ script: String
  ) async throws {
    let name = try await upload(script)
    try await expectRefusal(of: name)
  }

  @Test
  func
    `one that says to contain sets that nobody has made is refused, and keeps nobody from uploading another`()
    async throws
  {
    var more = VersionVector()
    more[try a.author] = 5_000_000
    let name = try await upload(
      "UPDATE TICDS_AUTHOR SET sequence = sequence + 5000000 WHERE author = \(Int64(bitPattern: try a.author.bits))",
      saying: more)
    var options = SyncOptions()
    options.wholeStores = WholeStorePolicy(sets: 2, relativeSize: 0)
    var uploads: [WholeStoreName] = []
    for number in 0..<4 {
      try a.write("more \(number)", "text")
      uploads += [try await a.sync(remote, options).uploadedStore].compactMap(\.self)
    }
    #expect(!uploads.isEmpty)
    let begun = try await c.begin(remote)
    #expect(begun.store == uploads.last)
    #expect(begun.findings.contains { if case .wholeStoreRefused(name, _) = $0 { true } else { false } })
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO TICDS_STATE VALUES ('remote.encryption', CAST('sealed' AS BLOB))",
    "INSERT OR REPLACE INTO TICDS_STATE VALUES ('remote.integrityKey', CAST('0' AS BLOB))",
    "INSERT OR REPLACE INTO TICDS_STATE VALUES ('remote.document', CAST('other/Documents/other' AS BLOB))",
    "INSERT INTO TICDS_REMOTE VALUES ('ownHead', 'x', 9223372036854775807, x'')",
    "INSERT INTO TICDS_REMOTE VALUES ('file', 'com.example.notes/evil.txt', 0, x'00')",
  ])
  func `what one remembers of the remote is not believed`(_ script: String) async throws {
    try await upload(script)
    let begun = try await c.begin(remote)
    #expect(begun.store != nil && begun.findings.isEmpty)
    try await expectAgreement()
    #expect(!remote.files.keys.contains { $0.description.contains("evil") })
  }

  /// Bookkeeping that makes no sense.
  private static let senseless = [
    "UPDATE TICDS_OBJECT SET row = 1 WHERE row IS NOT NULL",
    "UPDATE TICDS_OBJECT SET row = NULL",
    "UPDATE TICDS_OBJECT SET row = 9223372036854775807",
    "UPDATE TICDS_OBJECT SET row = 'x'",
    "UPDATE TICDS_OBJECT SET root = 99",
    "UPDATE TICDS_OBJECT SET inserted = 9223372036854775807",
    "UPDATE TICDS_OBJECT SET inserted = -1",
    "UPDATE TICDS_OBJECT SET inserter = 99",
    "UPDATE TICDS_OBJECT SET clocks = x'FFFFFFFFFFFFFFFFFFFFFF'",
    "UPDATE TICDS_OBJECT SET clocks = x'FFFFFFFFFFFFFFFFFF010101'",
    "UPDATE TICDS_OBJECT SET clocks = x'C8010101'",
    "UPDATE TICDS_OBJECT SET covered = -1",
    "UPDATE TICDS_STATE SET value = 'x' WHERE name = 'clock'",
    "UPDATE TICDS_STATE SET value = 9223372036854775807 WHERE name = 'pushed'",
    "UPDATE TICDS_STATE SET value = 0 WHERE name = 'author'",
    "UPDATE TICDS_LOCAL SET bit = -1 WHERE position = 0",
    "INSERT INTO TICDS_LOCAL SELECT entity, position + 100, bit, path FROM TICDS_LOCAL",
    "UPDATE TICDS_LOCAL SET path = x'FFFF'",
    "UPDATE TICDS_ENTITY SET root = 3 - id",
    "UPDATE TICDS_ENTITY SET frontier = 9223372036854775807",
    "UPDATE TICDS_PROPERTY SET bit = bit + 4000000000000",
    "UPDATE TICDS_PROPERTY SET kind = 2 - kind",
    "UPDATE TICDS_PROPERTY SET destination = 99",
    "DELETE FROM TICDS_NAME",
    "UPDATE TICDS_NAME SET number = 99",
    "INSERT INTO TICDS_MERGE VALUES (1, 0, 'counter'), (1, 1, 'counter')",
    "INSERT INTO TICDS_MERGE VALUES (1, 0, 'xx')",
    "INSERT INTO TICDS_SET VALUES (99, 1, x'00', 5, 1)",
    "UPDATE TICDS_SET SET hash = x'00'",
    "UPDATE TICDS_SET SET latest = 9223372036854775807, earliest = 9223372036854775807",
    "DELETE FROM TICDS_SET",
    "UPDATE TICDS_AUTHOR SET chain = x'00'",
    "UPDATE TICDS_AUTHOR SET collected = 9223372036854775807",
    "UPDATE TICDS_AUTHOR SET id = id + 5",
    "INSERT OR REPLACE INTO TICDS_VALUE SELECT id, 0, x'FF', 0 FROM TICDS_OBJECT",
    "INSERT INTO TICDS_TARGET SELECT id, 0, 99 FROM TICDS_OBJECT",
    "INSERT INTO TICDS_CONTEST SELECT id, 0, id FROM TICDS_OBJECT",
    "INSERT INTO TICDS_UNSHOWN VALUES (0, 99, 99), (1, 99, 99), (2, 99, 99), (3, 99, 99)",
    "INSERT INTO TICDS_CLEARING SELECT id, 0, -1 FROM TICDS_OBJECT",
    "INSERT INTO TICDS_CLEARING SELECT id, 0, 'never' FROM TICDS_OBJECT",
    "INSERT INTO TICDS_OUTBOX VALUES (5, zeroblob(16), 1, 1, x'00')",
    "INSERT INTO TICDS_SENT VALUES (1, 1, 1, zeroblob(16), zeroblob(9))",
    "INSERT INTO TICDS_STATE VALUES ('unsaid.x', x'FFFFFFFFFFFFFFFFFF01')",
    "INSERT INTO TICDS_STATE VALUES ('settled.x', x'05')",
    "INSERT INTO TICDS_STATE VALUES ('surplus.1.1', x'FFFFFFFFFFFFFFFFFF01')",
    "INSERT INTO TICDS_STATE VALUES ('erased.99999999999999999999.-5', 1)",
    "INSERT OR REPLACE INTO TICDS_STATE VALUES ('adopting', 2)",
    "INSERT INTO TICDS_MIGRATION VALUES (1, 'Note', 'text', 'Note', 'place', 9223372036854775807)",
  ]

  @Test(arguments: senseless)
  func `whatever stands in one the others lose nothing, and who begins with it is heard or stopped`(
    _ script: String
  ) async throws {
    try await upload(script)
    let notes = try a.notes
    var isStopped = false
    do {
      try await c.begin(remote)
      try c.write("by the newcomer", "text")
      for _ in 0..<3 { for device in [c, a, b] { try await device.sync(remote) } }
    } catch {
      isStopped = true
    }
    for _ in 0..<2 { for device in [a, b] { try await device.sync(remote) } }
    #expect(try Set(a.notes).isSuperset(of: notes))
    #expect(try a.notes == b.notes)
    let hasArrived = try a.notes.contains("by the newcomer: text")
    #expect(isStopped || hasArrived)
  }

  @Test func `a vacuum counts on none that nobody can begin with`() async throws {
    for number in 0..<2 {
      try b.write("between \(number)", "text")
      for device in [b, a, b] { try await device.sync(remote) }
      try await upload("DELETE FROM TICDS_LOCAL")
    }
    let before = remote.files.count
    try await a.vacuum(remote, grace: 0)
    #expect(remote.files.count <= before)
    try await c.begin(remote)
    try await c.sync(remote)
    #expect(try c.notes == a.notes)
  }
}
