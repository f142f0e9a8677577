import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

/// A store that came from elsewhere takes every row that its model admits, or is refused before it is used.
@Suite struct StoreTablesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func opened() throws -> PersistentStore {
    let note = EntityDeclaration(
      "Note", attributes: [.init("title", .string), .init("code", .string)],
      relationships: [.toMany("tags", to: "Tag", inverse: "notes")], uniquenessConstraints: [["code"]])
    let tag = EntityDeclaration(
      "Tag",
      relationships: [
        .toMany("notes", to: "Note", inverse: "tags"), .toOne("parent", to: "Tag", inverse: "children"),
        .toMany("children", to: "Tag", inverse: "parent"),
      ])
    return try PersistentStore(
      model: ManagedObjectModel(entities: [note, tag]), path: folder.file("store.sqlite"))
  }

  /// A store with one object, and what somebody has done to its file.
  private func store(_ script: String) throws -> PersistentStore {
    let store = try opened()
    let context = try store.newContext()
    try context.insert(entity: "Note")["title"] = .string("one")
    try context.save()
    try store.newConnection().execute(script: script)
    return try opened()
  }

  @Test(arguments: [
    "CREATE INDEX others ON ZNOTE(ZTITLE)", "CREATE TABLE other (a UNIQUE, b)",
    "ALTER TABLE ZNOTE ADD COLUMN ZFORMER VARCHAR", "",
  ])
  func `what stops no row is left alone`(_ script: String) throws {
    try store(script).requireTablesOfModel()
  }

  @Test func `links to an entity whose name comes before that of its parent lead to what is there`()
    throws
  {
    let box = EntityDeclaration("Box", relationships: [.toMany("things", to: "Thing", inverse: "box")])
    let thing = EntityDeclaration(
      "Thing",
      relationships: [
        .toOne("box", to: "Box", inverse: "things"), .toOne("next", to: "Apple", inverse: "former"),
      ])
    let apple = EntityDeclaration(
      "Apple", parent: "Thing", relationships: [.toMany("former", to: "Thing", inverse: "next")])
    let store = try PersistentStore(
      model: ManagedObjectModel(entities: [box, thing, apple]), path: folder.file("fruit.sqlite"))
    let context = try store.newContext()
    for _ in 0..<3 {
      let apple = try context.insert(entity: "Apple")
      try context.insert(entity: "Thing").setTarget(apple, "next")
    }
    try context.save()
    try store.requireTablesOfModel()
  }

  @Test(arguments: [
    ("CREATE UNIQUE INDEX u ON ZNOTE(ZTITLE)", "unique"),
    ("CREATE UNIQUE INDEX u ON ZNOTE(ZCODE, ZTITLE)", "unique"),
    ("CREATE INDEX b ON ZNOTE(length(hex(zeroblob(Z_PK))))", "expression"),
    ("CREATE INDEX p ON ZNOTE(ZTITLE) WHERE ZTITLE LIKE '%a%b%'", "expression"),
    ("ALTER TABLE ZNOTE ADD COLUMN g AS (hex(zeroblob(400000000)))", "computed"),
    ("ALTER TABLE ZNOTE ADD COLUMN g INTEGER NOT NULL DEFAULT 0", "must have a value"),
    ("ALTER TABLE ZNOTE ADD COLUMN g DEFAULT 7", "by itself"),
    ("ALTER TABLE ZNOTE ADD COLUMN g REFERENCES ZTAG(Z_PK)", "foreign key"),
    (
      "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'ZTITLE VARCHAR', 'ZTITLE INTEGER') WHERE name = 'ZNOTE'",
      "declared as INTEGER"
    ),
    (
      "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, ' )', ' ) STRICT') WHERE name = 'ZTAG'",
      "another kind"
    ),
    ("CREATE UNIQUE INDEX u ON Z_PRIMARYKEY(Z_MAX)", "unique"),
    (
      "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'PRIMARY KEY', 'PRIMARY KEY AUTOINCREMENT') WHERE name = 'ZNOTE'",
      "AUTOINCREMENT"
    ),
    (
      "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'ZTITLE VARCHAR', 'ZTITLE VARCHAR COLLATE NOCASE') WHERE name = 'ZNOTE'",
      "COLLATE"
    ),
    ("UPDATE ZNOTE SET Z_OPT = 1e300", "version"), ("UPDATE ZNOTE SET Z_ENT = x'01'", "version"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807", "no keys left"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = -1", "no keys left"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "beyond the last key"),
    ("UPDATE ZNOTE SET Z_PK = 9223372036854775807", "no keys left"),
    ("INSERT INTO Z_1TAGS VALUES (2, 1)", "yet to come"),
    ("INSERT INTO Z_1TAGS VALUES (1, 1)", "yet to come"),
    ("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZPARENT) VALUES (0, 2, 1, 9)", "yet to come"),
  ])
  func `what would refuse rows that the model admits, or compute something with each, is refused`(
    _ script: String, _ reason: String
  ) throws {
    let store = try store(script)
    let error = #expect(throws: StoreError.self) { try store.requireTablesOfModel() }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}
