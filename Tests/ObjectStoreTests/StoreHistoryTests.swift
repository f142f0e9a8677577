import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

/// Counting without reading, and persistent history as Core Data keeps it.
@Suite struct StoreHistoryTests {
  private static let tables = """
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR);
    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, \
    ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
    INSERT INTO ATRANSACTION VALUES (5, 1.5, 'me');
    """

  /// Animals with an owner, who may be of several entities, with a place among the owner's; and with friends.
  private func store(_ folder: TemporaryFolder) throws -> PersistentStore {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Animal", attributes: [.init("age", .integer16), .init("name", .string)],
        relationships: [
          .toOne("owner", to: "Owner", inverse: "animals"),
          .toMany("friends", to: "Animal", inverse: "friends"),
          .toMany("young", to: "Animal", inverse: "mother"), .toOne("mother", to: "Animal", inverse: "young"),
        ]),
      EntityDeclaration("Dog", parent: "Animal", attributes: [.init("bark", .string)]),
      EntityDeclaration(
        "Owner", relationships: [.toMany("animals", to: "Animal", inverse: "owner", isOrdered: true)]),
      EntityDeclaration("Shop", parent: "Owner"),
    ])
    return try PersistentStore(model: model, path: folder.file("store"))
  }

  private func properties(_ store: PersistentStore, entity: String, mask: [UInt8]) throws -> [String]? {
    let found = try #require(store.model.entity(named: entity))
    let connection = try store.newConnection()
    try connection.run("DELETE FROM ACHANGE")
    try connection.run(
      "INSERT INTO ACHANGE VALUES (1, 1, ?, 1, 5, ?)", .integer(store.schema.table(of: found).number),
      .blob(mask))
    var names: [String]?
    try StoreHistory(store)?.forEach(transaction: { $0?.author == "me" }) { change in
      names = change.properties.map { $0.map { found.properties[$0].name } }
    }
    return names
  }

  @Test
  func `bits stand for keys, entity columns, places, attributes, and the two kinds of to-many relationships`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    #expect(try StoreHistory(store) == nil)
    try store.newConnection().execute(script: Self.tables)
    // mother, owner; mother's entity, owner's entity; owner's place; age, name, bark; young; friends.
    let wanted = ["mother", "owner", "mother", "owner", "owner", "age", "name", "bark", "young", "friends"]

    for (bit, name) in wanted.enumerated() {
      var mask: [UInt8] = [0, 0]
      mask[bit / 8] = 0x80 >> UInt8(bit % 8)
      #expect(try properties(store, entity: "Dog", mask: mask) == [name], "bit \(bit)")
    }
    #expect(try properties(store, entity: "Dog", mask: [0xFF, 0xC0])?.count == 7)
    #expect(try properties(store, entity: "Dog", mask: [0, 0x20]) == nil)
    #expect(try properties(store, entity: "Dog", mask: [0]) == nil)
    #expect(try properties(store, entity: "Dog", mask: [0, 0, 0]) == nil)
    #expect(try properties(store, entity: "Animal", mask: [0, 0x80]) == ["friends"])
    withExtendedLifetime(folder) {}
  }

  @Test func `objects are counted by entity, in both kinds of stores`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let context = try store.newContext()
    for name in ["Dog", "Animal", "Dog", "Shop"] { try context.insert(entity: name) }
    try context.save()
    let file = try StoreFile(path: folder.file("store"))
    try file.copy(to: folder.file("binary"), as: .binary)

    for file in [file, try StoreFile(path: folder.file("binary"))] {
      let counts = try file.objectCounts()
      #expect(
        ["Animal", "Dog", "Owner", "Shop"].map { file.model.entity(named: $0).map { counts[$0.index] } } == [
          1, 2, 0, 1,
        ])
    }
    withExtendedLifetime(folder) {}
  }
}
