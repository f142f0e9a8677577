import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// What is damaged or missing costs what lies there and nothing else, and is listed.
@Suite struct TolerantStoreTests {
  private let library: TolerantLibrary

  init() throws { library = try TolerantLibrary() }

  private func opened() throws -> TolerantStore { try TolerantStore(path: library.path) }

  private func keys(_ objects: [StoredObject], _ root: String = "Note") -> Set<Int64> {
    Set(objects.map(\.reference).filter { library.model.entities[$0.entity].root.name == root }.map(\.key))
  }

  private func expect(_ lines: [String], in store: TolerantStore) {
    let told = store.omissions.map(\.description)
    for line in lines { #expect(told.contains(line), "\(line) is not in \(told)") }
  }

  private func unread(_ object: StoredObject) -> Set<String> {
    let properties = library.model.entities[object.reference.entity].properties
    return Set(properties.indices.filter { object.unread.contains($0) }.map { properties[$0].name })
  }

  @Test func `of a sound store everything is read and nothing is listed`() throws {
    let store = try opened()

    let objects = try store.allObjects()

    #expect(objects == (try StoreFile(path: library.path).objects().allObjects()))
    #expect(store.omissions.isEmpty, "\(store.omissions)")
    #expect(try objects.allSatisfy { try store.object($0.reference) == $0 })
  }

  @Test func `missing tables and columns, unknown entities and a lost list of entities are told`() throws {
    try library.change(
      """
      UPDATE ZNOTE SET Z_ENT = 77 WHERE Z_PK IN (3, 4); ALTER TABLE ZNOTE DROP COLUMN ZTITLE;
      ALTER TABLE ZNOTE ADD COLUMN ZCOLOUR INTEGER; UPDATE ZNOTE SET ZCOLOUR = 1 WHERE Z_PK = 9; DROP TABLE ZFOLDER;
      CREATE TABLE OTHER (a); INSERT INTO OTHER VALUES (1), (2);
      DELETE FROM Z_METADATA; DROP TABLE Z_PRIMARYKEY
      """)

    let store = try opened()
    let objects = try store.allObjects()

    #expect(keys(objects) == Set(1...TolerantLibrary.count).subtracting([3, 4]))
    expect(
      [
        "Folder: its table ZFOLDER is missing, or lacks its keys",
        "Note.title: its column or table is missing",
        "ZNOTE: 2 rows of entities that the store does not list",
        "ZNOTE.ZCOLOUR: 1 values of a column that the model does not explain",
        "OTHER: 2 rows of a table that the model does not explain", "Folder: the store does not list it",
        "Z_METADATA: it has no row",
      ], in: store)
    #expect(unread(try #require(objects.first)).contains("title"))
  }

  @Test func `without a model that can be read one is named, or derived from the tables`() throws {
    try library.change("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'")

    let derived = try opened()

    #expect(derived.modelOrigin == .derived)
    #expect(derived.omissions.contains { $0.place == "the model cache" })
    #expect(try derived.allObjects().count == Int(TolerantLibrary.count) + 11)
    let named = try TolerantStore(path: library.path, model: library.model)
    #expect(try named.allObjects().count == Int(TolerantLibrary.count) + 11 && named.omissions.isEmpty)
  }

  @Test func `a model of another version reads what it knows, and where it differs is told`() throws {
    let other = try ManagedObjectModel(entities: [
      EntityDeclaration("Folder", attributes: [.init("name", .string), .init("colour", .string)])
    ])

    let store = try TolerantStore(path: library.path, model: other)

    #expect(try store.allObjects().count == 5)
    expect(
      [
        "the model: Folder: differs from that in the store",
        "the model: Note: is in the store, but not in the model",
        "Folder.colour: its column or table is missing",
        "ZNOTE: \(TolerantLibrary.count) rows of a table that the model does not explain",
      ], in: store)
  }

  @Test func `values of another type than the model says are left out one by one`() throws {
    try library.change(
      """
      UPDATE ZNOTE SET ZTITLE = x'0102' WHERE Z_PK = 1; UPDATE ZNOTE SET ZSTARS = 'many' WHERE Z_PK IN (2, 3);
      UPDATE ZNOTE SET ZMADE = x'00' WHERE Z_PK = 4; UPDATE ZNOTE SET ZPRICE = 'dear' WHERE Z_PK = 5;
      UPDATE ZNOTE SET ZMARK = x'000102' WHERE Z_PK = 6; UPDATE ZNOTE SET ZFOLDER = 'one' WHERE Z_PK = 7;
      UPDATE ZNOTE SET ZTITLE = CAST(x'61ff62' AS TEXT) WHERE Z_PK = 8; UPDATE ZNOTE SET ZFOLDER = 99 WHERE Z_PK = 9;
      UPDATE ZNOTE SET ZPICTURE = x'0900' WHERE Z_PK = 10
      """)

    let store = try opened()
    let objects = try store.allObjects()

    let notes = Dictionary(
      uniqueKeysWithValues: objects.filter { keys([$0]) != [] }.map { ($0.reference.key, unread($0)) })
    for (key, name) in [
      (1, "title"), (2, "stars"), (3, "stars"), (4, "made"), (5, "price"), (6, "mark"), (7, "folder"),
      (10, "picture"),
    ] as [(Int64, String)] {
      #expect(notes[key] == [name])
    }
    #expect(notes.filter { !$0.value.isEmpty }.count == 8)
    #expect(store.omissions.map { $0.count ?? 0 }.reduce(0, +) == 11, "\(store.omissions)")
    expect(["ZNOTE.ZFOLDER: 1 links that are no keys"], in: store)
  }

  @Test func `a table without its primary key has the keys that stand in it, and row numbers where none do`()
    throws
  {
    try library.change(
      """
      CREATE TABLE COPY AS SELECT * FROM ZNOTE; UPDATE COPY SET Z_PK = NULL WHERE Z_PK = 5;
      DROP TABLE ZNOTE; ALTER TABLE COPY RENAME TO ZNOTE; UPDATE ZNOTE SET ZTITLE = 'five' WHERE Z_PK IS NULL
      """)

    let store = try opened()
    let objects = try store.allObjects()

    #expect(keys(objects) == Set(1...TolerantLibrary.count))
    expect(["ZNOTE: 1 rows without a key, which have SQLite's own number for one"], in: store)
    let members = objects.filter { keys([$0], "Folder") != [] }.flatMap { $0.relationships.joined() }
    #expect(Set(members.map(\.key)) == Set(1...TolerantLibrary.count))
  }

  @Test(arguments: [
    "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZTITLE VARCHAR) WITHOUT ROWID",
    "CREATE TABLE ZNOTE (Z_PK INTEGER, Z_ENT INTEGER, rowid, oid, _rowid_)",
    "CREATE VIEW ZNOTE AS SELECT 1 AS Z_PK, 2 AS Z_ENT",
    "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER AS (2), ZTITLE AS (zeroblob(900000000)))",
  ])
  func `tables of other kinds than Core Data makes are survived`(script: String) throws {
    try library.change("DROP TABLE ZNOTE; \(script)")

    let store = try opened()

    #expect(keys(try store.allObjects(), "Folder").count == 5)
    #expect(!store.omissions.isEmpty)
  }

  @Test func `a table of which SQLite knows nothing does not hide the others`() throws {
    try library.change(
      """
      INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
      VALUES ('table', 'ALIEN', 'ALIEN', 0, 'CREATE VIRTUAL TABLE ALIEN USING alien(x)')
      """)

    let store = try opened()

    #expect(try store.allObjects().count == Int(TolerantLibrary.count) + 11)
    #expect(store.omissions.contains { $0.place == "ALIEN" }, "\(store.omissions)")
  }

  @Test func `indexes that are gone or wrong hide nothing and are told`() throws {
    let before = try opened().allObjects()
    let connection = try Connection(path: library.path)
    let root = try connection.first("SELECT rootpage FROM sqlite_master WHERE name LIKE 'ZNOTE_ZFOLDER%'")
    guard case .integer(let page)? = root else { throw CancellationError() }
    var bytes = try library.bytes()
    for index in (Int(page) - 1) * 4_096..<Int(page) * 4_096 { bytes[index] = 0 }
    try Data(bytes).write(to: URL(filePath: library.path))

    let store = try opened()

    #expect(try store.allObjects() == before)
    #expect(store.omissions.contains { $0.place == "the file" })
  }

  @Test func `files of values that are missing, folders or pipes are told and hold nothing up`() throws {
    let folder = library.folder.url.appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    let file = folder.appending(path: name)
    for replace in [
      {}, { try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false) },
      { #expect(mkfifo(file.path, 0o600) == 0) },
      { try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero") },
    ] as [() throws -> Void] {
      try FileManager.default.removeItem(at: file)
      try replace()

      let store = try opened()
      let objects = try store.allObjects()

      #expect(objects.filter { !$0.missingFiles.isEmpty }.count == 1)
      expect(["Note.picture: 1 values in files that are missing or cannot be read"], in: store)
      if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
    }
  }

  @Test func `pages that lead to each other are left after bounded work`() throws {
    var bytes = try library.bytes()
    let connection = try Connection(path: library.path)
    guard
      case .integer(let root)? = try connection.first(
        "SELECT rootpage FROM sqlite_master WHERE name = 'ZNOTE'")
    else { throw CancellationError() }
    let start = (Int(root) - 1) * 4_096
    try #require(bytes[start] == 5)
    // All children of the root become its first leaf.
    let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    let cells = (0..<count).map {
      start + (Int(bytes[start + 12 + 2 * $0]) << 8 | Int(bytes[start + 13 + 2 * $0]))
    }
    let first = Array(bytes[cells[0]..<cells[0] + 4])
    for offset in cells + [start + 8] { bytes.replaceSubrange(offset..<offset + 4, with: first) }
    try Data(bytes).write(to: URL(filePath: library.path))

    let store = try opened()
    let read = keys(try store.allObjects())

    #expect(read.contains(1) && read.count < Int(TolerantLibrary.count))
    #expect(store.omissions.contains { $0.place == "ZNOTE" }, "\(store.omissions)")
  }

  @Test func `keys that lie far apart cost no time`() throws {
    try library.change("UPDATE ZTAG SET Z_PK = 9223372036854775807 WHERE Z_PK = 6")
    var bytes = try library.bytes()
    let root = try #require(
      try Connection(path: library.path).first("SELECT rootpage FROM sqlite_master WHERE name = 'ZTAG'"))
    guard case .integer(let page) = root else { throw CancellationError() }
    // The page says that it is of a kind that there is not, so no key of it can be read.
    bytes[(Int(page) - 1) * 4_096] = 99
    try Data(bytes).write(to: URL(filePath: library.path))

    let store = try opened()

    #expect(keys(try store.allObjects(), "Tag").isEmpty)
    expect(["ZTAG: damaged, nothing with keys from 1 is read"], in: store)
  }
}
