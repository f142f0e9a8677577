import Foundation
import ObjectStore
import SampleFiles
import TemporaryFolders
import Testing

@Suite struct SQLReaderTests {
  class Item: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var made: Date?
    @ToMany(inverse: \Order.items) var orders: Set<Order>
  }

  final class Picture: Item {
    @Attribute(externalStorage: true) var content: [UInt8] = []
  }

  final class Order: ManagedObject {
    @Attribute var number: Int = 0
    @ToMany var items: [Item]
    @ToOne var first: Item?
  }

  private let folder: TemporaryFolder
  private let store: PersistentStore

  init() throws {
    folder = try TemporaryFolder()
    store = try PersistentStore(
      model: ManagedObjectModel(Item.self, Picture.self, Order.self), path: folder.file("orders.sqlite"))
  }

  private func rows(_ sql: String, _ value: AttributeValue? = nil) throws -> [[AttributeValue]] {
    var rows: [[AttributeValue]] = []
    let reader = try SQLReader(store)
    if let value {
      try reader.forEachRow(sql, value) { rows.append($0.values) }
    } else {
      try reader.forEachRow(sql) { rows.append($0.values) }
    }
    return rows
  }

  private func fill() throws {
    let context = try store.newContext()
    let item = try context.insert(Item.self) {
      $0.title = "tea"
      $0.made = Date(timeIntervalSinceReferenceDate: 7)
    }
    let long = [UInt8](repeating: 7, count: 300_000)
    let picture = try context.insert(Picture.self) { $0.content = long }
    try context.insert(Picture.self) { $0.content = [1, 2] }
    try context.insert(Order.self) {
      $0.number = 5
      $0.items = [picture, item]
      $0.first = picture
    }
    try context.save()
  }

  @Test func `tables and columns have the names of the model, inherited ones too`() throws {
    try fill()

    #expect(try rows("SELECT count(*) FROM Item") == [[.integer(3)]])
    #expect(
      try rows("SELECT title, made FROM Item WHERE made > ?", .date(6)) == [[.string("tea"), .date(7)]])
    let lengths = try rows("SELECT length(content) FROM Picture ORDER BY Z_PK")
    #expect(lengths == [[.integer(300_000)], [.integer(2)]])
    #expect(
      try rows(
        "SELECT i.title FROM \"Order\" o JOIN Item i ON i.Z_PK = o.first WHERE o.number = ?", .integer(5))
        == [[.string("")]])
    let members = try rows(
      """
      SELECT i.title FROM "Order.items" m JOIN Item i ON i.Z_PK = m.target ORDER BY m.position
      """)
    #expect(members == [[.string("")], [.string("tea")]])
    #expect(try rows("SELECT count(*) FROM \"Item.orders\"") == [[.integer(2)]])
  }

  @Test(
    arguments: [
      "DELETE FROM ZITEM", "SELECT 1; DELETE FROM ZITEM", "PRAGMA query_only = OFF", "VACUUM INTO 'PLACE'",
      "ATTACH 'PLACE' AS x", "SELECT ?", "", " ;", "SELEKT 1", "SELECT * FROM Nothing", "CREATE TABLE x (y)",
      "INSERT INTO ZITEM DEFAULT VALUES RETURNING Z_PK",
    ])
  func `what does not only read is refused`(_ sql: String) throws {
    try fill()
    let before = try rows("SELECT * FROM Item")
    let reader = try SQLReader(store)
    let place = FileManager.default.temporaryDirectory.appending(path: "ticds-\(UUID().uuidString)").path
    #expect(throws: SQLReader.Refusal.self) {
      try reader.forEachRow(sql.replacing("PLACE", with: place)) { _ in }
    }
    #expect(try rows("SELECT * FROM Item") == before)
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test func `a store in memory is read, and one that nobody may write`() throws {
    let memory = try PersistentStore.inMemory(model: store.model)
    let context = try memory.newContext()
    try context.insert(Item.self)
    try context.save()
    var count = 0
    try SQLReader(memory).forEachRow("SELECT * FROM Item") { _ in count += 1 }
    #expect(count == 1)

    try fill()
    let reading = try PersistentStore(
      model: store.model, path: store.path, options: .init(access: .readOnly))
    try SQLReader(reading).forEachRow("SELECT * FROM Item") { _ in count += 1 }
    #expect(count == 4)
  }

  @Test(.needsSamples, arguments: SampleStore.names)
  func `what SQL reads of a sample is what its objects say`(_ name: String) throws {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    let file = try StoreFile(path: sample.file.path)
    let store = try #require(file.persistentStore)
    let reader = try SQLReader(store)
    let source = try file.objects()
    for entity in file.model.entities {
      var found: [Int64: [String: AttributeValue]] = [:]
      let name = entity.name.replacing("\"", with: "\"\"")
      try reader.forEachRow("SELECT * FROM \"\(name)\"") { row in
        guard case .integer(let key) = row[0] else { return }
        found[key] = Dictionary(zip(row.names, row.values)) { first, _ in first }
      }
      try source.forEachObject(of: entity) { object in
        let removed = found.removeValue(forKey: object.reference.key)
        let row = try #require(removed)
        for index in entity.properties.indices {
          guard let attribute = entity.attribute(at: index), !attribute.isTransient else { continue }
          if object.missingFiles.contains(index) {
            #expect(row[attribute.name] == .null)
            continue
          }
          #expect(
            plain(row[attribute.name]) == plain(object.attributes[index]), "\(entity.name).\(attribute.name)")
        }
      }
      #expect(found.isEmpty)
    }
  }

  /// What the file has for a value.
  private func plain(_ value: AttributeValue?) -> String {
    switch value {
    case nil, .null?: "null"
    case .boolean(let value)?: "\(value ? 1.0 : 0.0)"
    case .integer(let value)?: "\(Double(value))"
    case .double(let value)?, .date(let value)?: "\(value)"
    case .float(let value)?: "\(Double(value))"
    case .decimal(let value)?: "\(NSDecimalNumber(decimal: value).doubleValue)"
    case .string(let value)?, .uri(let value)?: value
    case .data(let value)?: "\(value)"
    case .uuid(let value)?: "\(withUnsafeBytes(of: value.uuid) { [UInt8]($0) })"
    case .reference(_, let key)?: "\(key)"
    }
  }
}
