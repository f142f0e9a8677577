import ByteFixtures
import ChangeTracking
import Crypto
import Foundation
import TICDSSQLite
import TemporaryFolders
import Testing
import TICDSZlib

@testable import SyncProtocol

/// The container may come from anybody: what it says is held against limits before anything is spent on it.
@Suite struct WholeStoreContainerTests {
  private let folder: TemporaryFolder
  private let name = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"

  init() throws { folder = try TemporaryFolder() }

  private func file(_ name: String) -> String { folder.file(name) }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  private func container(_ content: [UInt8], length: UInt64? = nil, files: UInt32 = 0) throws -> [UInt8] {
    let header = WholeStoreHeader(length: length ?? UInt64(content.count), fileCount: files)
    return header.bytes + (try deflate(content))
  }

  private func length(_ count: Int) -> [UInt8] { WholeStoreEntry.length(UInt64(count)) }

  /// What reading bytes comes to.
  private func read(_ bytes: [UInt8], limits: WholeStoreLimits = WholeStoreLimits()) throws {
    try write(bytes, to: file("in"))
    try WholeStoreReader.read(file("in"), to: file("out/store.sqlite"), limits: limits, opening: { nil })
  }

  @Test(arguments: [false, true])
  func `what is written is read, with the files beside the store`(_ isSealed: Bool) throws {
    var random = SeededGenerator(seed: 3)
    let store = (0..<700_000).map { _ in UInt8.random(in: 0...3, using: &random) }
    let value = [UInt8](repeating: 7, count: 300_000)
    try write(store, to: file("store.sqlite"))
    try write(value, to: "\(StoreAttachments.folder(ofStoreAt: file("store.sqlite")))/\(name)")
    try write([], to: "\(StoreAttachments.folder(ofStoreAt: file("store.sqlite")))/\(UUID().uuidString)")
    let context = SealedContext(role: .wholeStore, identity: "here")
    let protection = fileProtection(with: isSealed ? KeyRing(try .generate()) : nil)
    let written = try WholeStoreWriter.write(
      storeAt: file("store.sqlite"), to: file("packed"),
      seal: { () throws(CryptoError) in try protection.writer(as: context) })
    let packed = try bytes(file("packed"))
    #expect(written == .init(hash: ContentHash(of: packed), size: Int64(packed.count)))
    #expect(SealedContainer.isSealed(packed) == isSealed)
    #expect(packed.count < store.count / 2)

    try FileManager.default.createDirectory(atPath: file("out"), withIntermediateDirectories: true)
    try WholeStoreReader.read(
      file("packed"), to: file("out/other.sqlite"), opening: { protection.reader(as: context) })
    #expect(try bytes(file("out/other.sqlite")) == store)
    let names = try StoreAttachments.names(ofStoreAt: file("out/other.sqlite"))
    #expect(names.count == 2)
    #expect(try bytes("\(StoreAttachments.folder(ofStoreAt: file("out/other.sqlite")))/\(name)") == value)
  }

  @Test func `the head says how much comes out and how many files lie beside the store`() throws {
    let golden = try container(length(3) + [1, 2, 3])
    #expect(Array(golden.prefix(20)) == WholeStoreHeader.magic + length(11) + [0, 0, 0, 0])
    try FileManager.default.createDirectory(atPath: file("out"), withIntermediateDirectories: true)
    try read(golden)
    #expect(try bytes(file("out/store.sqlite")) == [1, 2, 3])
  }

  @Test func `a container that contradicts itself or its limits is refused`() throws {
    let store: [UInt8] = length(4) + [1, 2, 3, 4]
    let rest: [UInt8] = length(1) + [9]
    let named: [UInt8] = Array(name.utf8) + rest
    let path = String("../../../../../../../../../../tmp/evil-of-whole-stores".prefix(36))
    let escaping: [UInt8] = Array(path.utf8) + rest
    let wholeFile: [UInt8] = store + named
    let short: [UInt8] = length(9) + [1, 2]
    let enormous: [UInt8] = length(1 << 40) + [1, 2]

    try expectRefusal("nothing", [])
    try expectRefusal("another magic", [UInt8](repeating: 1, count: 40))
    try expectRefusal("no store", container([]))
    try expectRefusal("half a length", container([0, 0, 0]))
    try expectRefusal("a store that is cut", container(short))
    try expectRefusal("a store longer than all is said to be", container(enormous))
    try expectRefusal("more than was said", container(store, length: 10))
    try expectRefusal("less than was said", container(store, length: 13))
    try expectRefusal("a file too few", container(store, files: 1))
    try expectRefusal("a file too many", container(wholeFile, files: 0))
    try expectRefusal("a file twice", container(wholeFile + named, files: 2))
    try expectRefusal("a name that escapes", container(store + escaping, files: 1))
    try expectRefusal("bytes after the end", container(store) + [0])
    try expectRefusal("a stream that is cut", Array(container(store).dropLast(3)))
    var small = WholeStoreLimits()
    small.length = 20
    small.fileCount = 1
    try expectRefusal("a length beyond the limit", container(wholeFile, files: 1), small)
    try expectRefusal("files beyond the limit", container(store, files: 2), small)
  }

  private func expectRefusal(
    _ what: String, _ bytes: [UInt8], _ limits: WholeStoreLimits = WholeStoreLimits()
  ) throws {
    try? FileManager.default.removeItem(atPath: file("out"))
    try FileManager.default.createDirectory(atPath: file("out"), withIntermediateDirectories: true)
    #expect(throws: (any Error).self, "\(what)") { try read(bytes, limits: limits) }
  }

  @Test func `little that inflates to much ends where its header says`() throws {
    try FileManager.default.createDirectory(atPath: file("out"), withIntermediateDirectories: true)
    let bomb = try container(length(1_000) + [UInt8](repeating: 0, count: 64 << 20), length: 1_008)
    #expect(bomb.count < 100_000)
    #expect(throws: ZlibError.self) { try read(bomb) }
    let left = LocalFile.size(of: file("out/store.sqlite")) ?? 0
    #expect(left <= 1_000)
  }

  // MARK: The store in it

  private func snapshot() throws -> String {
    let path = file("from.sqlite")
    let store = try NoteStore(path: path)
    let replica = try Replica(store: store, configuration: .init(client: "a"))
    _ = try replica.snapshot(to: file("copy.sqlite"))
    return file("copy.sqlite")
  }

  @Test func `a copy that a replica has made is read, and holds what it held`() throws {
    let path = try snapshot()
    let before = try rows(path)
    #expect(try StoreSnapshot(reading: path).author != AuthorID(bits: 0))
    #expect(try rows(path) == before && !before.isEmpty)
  }

  /// Everything that stands in a store's tables, as text.
  private func rows(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, options: .init(access: .readOnly))
    let tables = try connection.prepare(
      """
      SELECT t.name, group_concat('quote("' || c.name || '")', ' || '','' || ')
      FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table' GROUP BY t.name ORDER BY t.name
      """)
    var rows: [String] = []
    while try tables.step() {
      let table = try connection.prepare("SELECT \(tables.text(1)) FROM \"\(tables.text(0))\" ORDER BY 1")
      while try table.step() { rows.append("\(tables.text(0)): \(table.text(0))") }
    }
    return rows
  }

  @Test func `a copy of a device whose clock has gone on from the greatest time that clocks follow is read`()
    throws
  {
    let path = try snapshot()
    // 1,000 milliseconds into the year 4199, and as many changes.
    let clock = Int64(1) << 62 + Int64(1_000) << 16 + 1_000
    try Connection(path: path).execute(
      script: "INSERT OR REPLACE INTO TICDS_STATE VALUES ('clock', \(clock))")
    #expect(try StoreSnapshot(reading: path).author != AuthorID(bits: 0))
  }

  @Test func `what an application keeps beside does no harm`() throws {
    let path = try snapshot()
    try Connection(path: path).execute(
      script: """
        CREATE TABLE other (a TEXT NOT NULL DEFAULT 'check (it)', "check" INTEGER DEFAULT -1, b BLOB DEFAULT X'00');
        CREATE INDEX others ON other(a); -- CHECK
        """)
    #expect(try StoreSnapshot(reading: path).author != AuthorID(bits: 0))
  }

  @Test func `a store that is no copy, is damaged, or holds what runs by itself is refused`() throws {
    let path = try snapshot()
    let sound = try bytes(path)
    func refuses(_ what: String, _ change: (Connection) throws -> Void) throws {
      try write(sound, to: path)
      try change(try Connection(path: path))
      #expect(throws: ReplicaError.self, "\(what)") { try StoreSnapshot(reading: path) }
    }
    try refuses("a trigger") {
      try $0.execute(script: "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM note; END")
    }
    try refuses("a view") { try $0.execute(script: "CREATE VIEW v AS SELECT 1") }
    try refuses("a virtual table") { try $0.execute(script: "CREATE VIRTUAL TABLE f USING fts5(x)") }
    let bomb = "hex(zeroblob(400000000))"
    try refuses("an index of an expression") {
      try $0.execute(script: "CREATE INDEX i ON note(length(hex(zeroblob(id))))")
    }
    try refuses("an index of some rows") {
      try $0.execute(script: "CREATE INDEX i ON note(text) WHERE text LIKE '%a%b%c%'")
    }
    try refuses("a computed column") {
      try $0.execute(script: "ALTER TABLE note ADD COLUMN g AS (\(bomb))")
    }
    try refuses("a computed default") {
      try $0.execute(script: "CREATE TABLE other (a, b DEFAULT (\(bomb)))")
    }
    try refuses("a check") { try $0.execute(script: "CREATE TABLE other (a CHECK (length(a) < 6))") }
    try refuses("a check in other words") {
      try $0.execute(script: "CREATE TABLE other (a, b, /* ' */ check\n(length(a) < 6))")
    }
    try refuses("bookkeeping that is unique where it should not be") {
      try $0.execute(script: "CREATE UNIQUE INDEX i ON TICDS_VALUE(bit)")
    }
    try refuses("bookkeeping that computes") {
      try $0.execute(script: "ALTER TABLE TICDS_STATE ADD COLUMN g AS (\(bomb))")
    }
    try refuses("bookkeeping of another form") {
      try $0.execute(script: "ALTER TABLE TICDS_OBJECT ADD COLUMN more INTEGER NOT NULL DEFAULT 0")
    }
    try refuses("bookkeeping that is not there") { try $0.execute(script: "DROP TABLE TICDS_OUTBOX") }
    try refuses("a log of changes of no entity") {
      try $0.execute(script: "INSERT INTO TICDS_LOG VALUES (9, 99, 1, 0, 0, NULL)")
    }
    try refuses("objects of no entity") {
      try $0.execute(
        script: "INSERT INTO TICDS_OBJECT VALUES (9, 'x', 99, 99, NULL, 0, 0, 0, 0, 0, NULL)")
    }
    try refuses("no mark") { try $0.execute(script: "DELETE FROM TICDS_STATE WHERE name = 'snapshot'") }
    try refuses("no bookkeeping") { try $0.execute(script: "DROP TABLE TICDS_STATE") }
    try refuses("a newer version") {
      try $0.execute(script: "UPDATE TICDS_STATE SET value = 99 WHERE name = 'version'")
    }
    for clock in [Int64.max, -1, (1 << 62) + (2_000 << 16), ((1 << 47) - 1) << 16] {
      try refuses("a clock that nobody can follow, \(clock)") {
        try $0.execute(script: "INSERT OR REPLACE INTO TICDS_STATE VALUES ('clock', \(clock))")
      }
    }
    try write(Array(sound.prefix(sound.count / 2)), to: path)
    #expect(throws: (any Error).self) { try StoreSnapshot(reading: path) }
    try write([UInt8](repeating: 7, count: 5_000), to: path)
    #expect(throws: (any Error).self) { try StoreSnapshot(reading: path) }
  }
}
