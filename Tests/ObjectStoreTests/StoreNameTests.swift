import Foundation
import TICDSSQLite
import SampleFiles
import Testing

@testable import ObjectStore

/// Names of tables, columns, indexes and triggers are exactly those that Core Data makes of the same model.
@Suite struct StoreNameTests {
  @Test func `the hashes are those of the old table`() {
    #expect(PropertyOrder.hash("favorites") == 0x80e1_22dc)
    #expect(PropertyOrder.hash("favoriteFolders") == 0xcbd7_243e)
    #expect(PropertyOrder.hash("_ent") == 0x7a62_d14a)
    #expect(PropertyOrder.hash("lastServerSyncedActiveParticipants") == 0xeb39_ada0)
    #expect(PropertyOrder.entryHash("lastServerSyncedActiveParticipants") == 0x3470_c705)
    #expect(PropertyOrder.mix(PropertyOrder.entryHash("favorites")) == 0xc132_8ca5)
  }

  @Test func `keys stand in the order of the old table`() {
    let keys = [
      "_ent", "_pk", "_opt", "isFolder", "isPendingDeletion", "modifiedAt", "title", "url", "uuid",
      "_ZPARENT",
      "parent", "children", "favoriteFolders", "favorites",
    ]
    let order = PropertyOrder.ordered(keys)
    #expect(order.firstIndex(of: "favorites") == 4)
    #expect(order.prefix(7) == ["_ent", "_pk", "title", "_opt", "favorites", "url", "_ZPARENT"])
  }

  @Test func `of equal names the entity with the lowest number has none, the next 1`() throws {
    func entity(_ name: String) -> EntityDeclaration {
      EntityDeclaration(
        name, parent: "Root", attributes: [AttributeDescription("text", .string)],
        relationships: [.toOne("owner", to: "Other")])
    }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Root"), entity("C"), entity("A"), entity("B"),
      EntityDeclaration("Other", attributes: [AttributeDescription("owner", .string)]),
      EntityDeclaration("D", parent: "Root", attributes: [AttributeDescription("owner", .integer16)]),
    ])
    var assembly = SchemaAssembly(model: model)
    let statements = StoreCreation(schema: assembly.assemble()).tableStatements()

    #expect(
      statements.contains(
        "CREATE TABLE ZROOT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZOWNER1 INTEGER, "
          + "ZOWNER2 INTEGER, ZOWNER3 INTEGER, ZTEXT VARCHAR, ZTEXT1 VARCHAR, ZTEXT2 VARCHAR )"))
  }

  @Test func `columns of a join table get a number where the names would clash`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "User",
        relationships: [
          .toMany("reactions", to: "Reaction", inverse: "users"),
          .toMany("messages", to: "Message", inverse: "users"),
        ]),
      EntityDeclaration("Reaction", relationships: [.toMany("users", to: "User", inverse: "reactions")]),
      EntityDeclaration("Message", relationships: [.toMany("users", to: "User", inverse: "messages")]),
    ])
    var assembly = SchemaAssembly(model: model)

    #expect(
      assembly.assemble().joins.map { [$0.name, $0.sourceColumn, $0.targetColumn] } == [
        ["Z_1USERS", "Z_1MESSAGES", "Z_3USERS"], ["Z_2USERS", "Z_2REACTIONS", "Z_3USERS1"],
      ])
  }

  @Test func `a relationship to many without inverse is an indexed column of the destination`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Book", relationships: [.toMany("pages", to: "Page")]), EntityDeclaration("Page"),
    ])
    var assembly = SchemaAssembly(model: model, oneWay: .ownerColumn)
    let creation = StoreCreation(schema: assembly.assemble())

    #expect(
      creation.tableStatements().contains(
        "CREATE TABLE ZPAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1PAGES INTEGER )"))
    #expect(creation.indexStatements() == ["CREATE INDEX ZPAGE_Z1PAGES_INDEX ON ZPAGE (Z1PAGES)"])
  }

  /// A store that Core Data made, and when: from its version 700 on indexes of attributes bear the entity's name.
  struct Sample: Sendable, CustomTestStringConvertible {
    let path: String
    var model: String?
    var hasOldIndexes = false
    /// Whether triggers of a root with sub-entities name its numbers, as those of framework 1044 did.
    var restrictsRoots = false
    /// Whether a constraint over one property stands at its column, as frameworks before 1044 had it.
    var hasUniqueColumns = false
    var testDescription: String { path }
  }

  @Test(
    .needsSamples,
    arguments: [
      Sample(path: "sqlite/ddg_Bookmarks_V1.sqlite"), Sample(path: "sqlite/ddg_Bookmarks_V4.sqlite"),
      Sample(path: "sqlite/ddg_Bookmarks_V4.sqlite", model: "models/ddg_BookmarksModel_4.contents.xml"),
      Sample(path: "sqlite/ddg_SyncMetadata_V3.sqlite"),
      Sample(path: "sqlite/ddg_SyncMetadata_V3.sqlite", model: "models/ddg_SyncMetadata_3.contents.xml"),
      Sample(path: "sqlite/plaso_Accounts3.sqlite"), Sample(path: "sqlite/plaso_IMODb2.sqlite"),
      Sample(path: "sqlite/plaso_netusage.sqlite"),
      Sample(path: "sqlite/plaso_knowledgec-10.13.db", hasUniqueColumns: true),
      Sample(path: "sqlite/wire_store2-4.wiredatabase", hasOldIndexes: true),
      Sample(path: "sqlite/apple_CoreDataBooks.CDBStore", model: "models/apple_CoreDataBooks.elements"),
      Sample(path: "sqlite/xcake_CoreDataBooks.CDBStore", model: "models/xcake_CoreDataBooks_2.elements"),
      Sample(path: "evidence/coredataplus_SampleModel2V1.sqlite", restrictsRoots: true),
      Sample(path: "evidence/coredataplus_SampleModel2_V2.sqlite"),
      Sample(path: "evidence/plaso_DataUsage.sqlite"),
    ])
  func `a store that is made from a sample's model alone has its tables, columns, indexes and triggers`(
    sample: Sample
  ) throws {
    let copy = try SampleStore(path: sample.path)
    defer { copy.remove() }
    let model: ManagedObjectModel
    if let file = sample.model {
      model = try ManagedObjectModel(contentsOf: Samples.url(file))
    } else {
      model = try ManagedObjectModel(modelCache: try #require(try copy.modelCache()))
    }
    var assembly = SchemaAssembly(model: model, oneWay: .ownerColumn)
    let creation = StoreCreation(schema: assembly.assemble())
    let theirs = try statements(of: copy)

    let tables = creation.tableStatements()
    let theirTables = theirs.filter { $0.hasPrefix("CREATE TABLE") }
    #expect(
      tables.sorted()
        == (sample.hasUniqueColumns ? theirTables.map { $0.replacing(" UNIQUE", with: "") } : theirTables))
    let constraints = sample.hasUniqueColumns ? [] : creation.constraintStatements(ifMissing: false)
    let indexes = creation.indexStatements() + constraints
    let theirIndexes = theirs.filter { $0.contains(" INDEX ") }
    if sample.hasOldIndexes {
      // Attributes are indexed as relationships are.
      let own = Set(indexes.filter { !$0.contains("COLLATE") })
      #expect(own.subtracting(theirIndexes) == [])
    } else {
      #expect(indexes.sorted() == theirIndexes)
    }
    #expect(
      creation.triggerStatements(restrictingRoots: sample.restrictsRoots).sorted()
        == theirs.filter { $0.hasPrefix("CREATE TRIGGER") })
  }

  /// What made a store's tables, those of persistent history and of Core Data itself excepted.
  private func statements(of store: SampleStore) throws -> [String] {
    let connection = try Connection(path: store.file.path, options: .init(access: .readWrite))
    let listing = try connection.prepare(
      """
      SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name NOT IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE') \
      AND substr(tbl_name, 1, 1) = 'Z' ORDER BY sql
      """)
    var statements: [String] = []
    while try listing.step() { statements.append(listing.text(0)) }
    return statements
  }
}
