import Foundation
import TICDSSQLite
import SampleFiles
import Testing

@testable import ObjectStore

/// Published stores and models that are out of the ordinary, and sound all the same.
@Suite(.needsSamples) struct SpecimenTests {
  static let stores = [
    "evidence/coredataplus_SampleModel2V1.sqlite", "evidence/coredataplus_SampleModel2_V2.sqlite",
    "evidence/coredataplus_SampleModel_V2.sqlite", "evidence/NotesV7.storedata",
    "evidence/plaso_DataUsage.sqlite",
    "evidence/tripaccount_database-1.1.sqlite", "evidence/docset.dsidx", "evidence/screenflow.dat",
  ]

  @Test(arguments: [
    "coredataplus_SampleModel2V1.sqlite", "coredataplus_SampleModel2_V2.sqlite",
    "coredataplus_SampleModel_V2.sqlite",
    "plaso_DataUsage.sqlite",
  ])
  func `the model that a specimen keeps of itself is used and has its hashes`(name: String) throws {
    let copy = try SampleStore(path: "evidence/\(name)")
    defer { copy.remove() }
    let store = try StoreFile(path: copy.file.path)

    #expect(store.modelOrigin == .cache, "\(store.modelProblem ?? "")")
    let own = store.versionHashes.filter { store.model.entity(named: $0.key) != nil }
    #expect(!own.isEmpty && own == store.model.versionHashes)
  }

  @Test(arguments: stores, [StoreFile.Kind.sqlite, .binary])
  func `a specimen opens, and its copy has the same objects and is sound, or says what it lacks`(
    path: String, kind: StoreFile.Kind
  ) throws {
    let sample = try SampleStore(path: path)
    defer { sample.remove() }
    let store = try StoreFile(path: sample.file.path)
    let before = try store.objects().allObjects()
    #expect(!before.isEmpty)
    let losses = try store.losses(copyingAs: kind)

    let path = sample.folder.appending(path: "copy").path
    try store.copy(to: path, as: kind)

    let copy = try StoreFile(path: path)
    let after = try copy.objects().allObjects()
    #expect(after.count == before.count || losses.contains { $0.reason.contains("rows of entities") })
    func links(_ objects: [StoredObject]) -> Int {
      objects.reduce(0) { $0 + $1.relationships.joined().count }
    }
    if store.kind == kind, losses.isEmpty { #expect(after == before) }
    if losses.isEmpty { #expect(links(after) == links(before)) }
    var errors: [StoreFinding] = []
    try store.verify { if $0.severity == .error { errors.append($0) } }
    let known = Set(errors.map(\.message))
    try copy.verify { if $0.severity == .error, !known.contains($0.message) { Issue.record("\($0)") } }
  }

  @Test(arguments: [
    ("evidence/tripaccount_Model.elements", 10), ("evidence/ticoredatasync_Notebook.elements", 2),
  ])
  func `an old archive of a model has its relationships`(path: String, count: Int) throws {
    let model = try ManagedObjectModel(contentsOf: Samples.url(path))

    #expect(model.entities.count == count)
    for relationship in model.entities.flatMap(\.properties).compactMap(\.asRelationship) {
      #expect(relationship.inverse != nil)
    }
  }

  @Test func `an entity that a store lists under its former name is told by its number`() throws {
    let sample = try SampleStore(path: "evidence/coredataplus_SampleModel_V2.sqlite")
    defer { sample.remove() }
    let store = try StoreFile(path: sample.file.path)

    let renamed = try #require(store.model.entity(named: "LuxuryCar"))
    #expect(store.persistentStore?.schema.table(of: renamed).number == Int64(renamed.index + 1))
  }

  @Test func `a relationship to many without inverse is read and written in the rows of the destination`()
    throws
  {
    let sample = try SampleStore(path: "evidence/coredataplus_SampleModel2V1.sqlite")
    defer { sample.remove() }
    let model = try StoreFile(path: sample.file.path).model
    let store = try PersistentStore(model: model, path: sample.file.path, options: .init(access: .readWrite))
    let context = try store.newContext()
    func pages(_ book: ManagedObject) throws -> Int {
      let index = try #require(book.entity.index(of: "pages"))
      return book.members(at: index).count
    }
    let books = try context.fetch(FetchRequest<ManagedObject>(entity: "Book"))
    let book = try #require(try books.max { try pages($0) < pages($1) })
    let index = try #require(book.entity.index(of: "pages"))
    let (count, page) = (try pages(book), try #require(book.members(at: index).first))
    #expect(book["pagesCount"] == .integer(Int64(count)))

    book.removeMember(page, at: index)
    try context.save()

    let connection = try Connection(path: sample.file.path)
    #expect(
      try connection.first("SELECT count(*) FROM ZPAGE WHERE Z1PAGES = ?", .integer(book.objectID.key))
        == .integer(Int64(count - 1)))
    #expect(
      try connection.first("SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = ?", .integer(book.objectID.key))
        == .integer(Int64(count - 1)))
    #expect(book["pagesCount"] == .integer(Int64(count - 1)))
  }

  @Test func `tables alone tell of a relationship to many without inverse`() throws {
    let sample = try SampleStore(path: "evidence/docset.dsidx")
    defer { sample.remove() }
    let store = try StoreFile(path: sample.file.path)
    #expect(store.modelOrigin == .derived)

    let connection = try Connection(path: sample.file.path)
    let stored = try connection.first("SELECT count(Z14PARAMETERS) FROM ZPARAMETER")
    let owner = try #require(store.persistentStore?.schema.entity(numbered: 14))
    let index = try #require(owner.index(of: "parameters"))
    var links = 0
    try store.objects().forEachObject(of: owner) {
      links += $0.relationships[index - owner.attributeCount].count
    }

    #expect(stored == .integer(Int64(links)))
  }

  @Test func `a copy keeps counters of keys and persistent history`() throws {
    let sample = try SampleStore(path: "evidence/coredataplus_SampleModel2_V2.sqlite")
    defer { sample.remove() }
    let path = sample.folder.appending(path: "copy.sqlite").path
    try StoreFile(path: sample.file.path).copy(to: path)

    let (old, new) = (try Connection(path: sample.file.path), try Connection(path: path))
    for query in [
      "SELECT group_concat(Z_ENT || Z_NAME || Z_SUPER || Z_MAX) FROM (SELECT * FROM Z_PRIMARYKEY ORDER BY Z_ENT)",
      "SELECT count(*) FROM ACHANGE", "SELECT count(*) FROM ATRANSACTION",
      "SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_master WHERE tbl_name LIKE 'A%' ORDER BY name)",
    ] {
      #expect(try old.first(query) == new.first(query))
    }
  }

  @Test func `links to objects of another entity, which tables cannot keep, are listed`() throws {
    let sample = try SampleStore(path: "evidence/screenflow.dat")
    defer { sample.remove() }
    let store = try StoreFile(path: sample.file.path)

    let losses = try store.losses(copyingAs: .sqlite)
    #expect(losses.contains { $0.place == "MediaSource.clips" }, "\(losses)")
    #expect(try store.losses(copyingAs: .binary) == [])
  }
}
