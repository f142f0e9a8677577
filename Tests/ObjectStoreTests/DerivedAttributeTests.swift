import ByteFixtures
import Foundation
import ObjectStore
import Testing

private final class Basket: ManagedObject {
  @Attribute var name: String = ""
  @Attribute(derivation: "canonical:(name)") var sortName: String?
  @Attribute(derivation: "items.@count") var itemCount: Int = 0
  @Attribute(derivation: "items.@sum.price") var total: Double = 0
  @Attribute(derivation: "now:()") var saved: Date?
  @ToMany(inverse: \Item.basket, deleteRule: .cascade) var items: Set<Item>
}

private final class Item: ManagedObject {
  @Attribute var price: Double = 0
  @Attribute(derivation: "uppercase:(basket.name)") var label: String?
  @ToOne var basket: Basket?
}

@Suite struct DerivedAttributeTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext

  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Basket.self, Item.self))
    context = try fixture.store.newContext()
  }

  @Test func `derived attributes are computed when an object is saved, and when those it depends on are`()
    throws
  {
    var time = 10.0
    context.now = { Date(timeIntervalSinceReferenceDate: time) }
    let basket = try context.insert(Basket.self) { $0.name = "Été" }
    let items = try [1.5, 2].map { price in
      try context.insert(Item.self) {
        $0.price = price
        $0.basket = basket
      }
    }
    try context.save()
    #expect(basket.sortName == "ete" && basket.itemCount == 2 && basket.total == 3.5)
    #expect(items.map(\.label) == ["ÉTÉ", "ÉTÉ"])
    #expect(basket.saved?.timeIntervalSinceReferenceDate == 10)

    time = 20
    items[0].price = 4
    try context.save()
    #expect(basket.total == 6 && basket.saved?.timeIntervalSinceReferenceDate == 20)

    context.delete(items[1])
    basket.name = "b"
    try context.save()
    #expect(basket.itemCount == 1 && basket.total == 4 && items[0].label == "B")
    try context.updateRows(FetchRequest<Item>(), .set(\.price, to: 7))
    #expect(basket.total == 7)

    let other = try fixture.store.newContext()
    #expect(try other.fetch(Basket.self, where: \.total == 7 && \.sortName == "b").count == 1)
    try fixture.check()
  }

  @Test func `what cannot be derived is named when the model is built`() {
    func problems(_ derivation: String) -> [String] {
      do throws(ModelError) {
        _ = try ManagedObjectModel(entities: [
          EntityDeclaration(
            "E",
            attributes: [
              AttributeDescription("a", .string), AttributeDescription("d", .string, derivation: derivation),
            ])
        ])
        return []
      } catch {
        return error.problems.map { "\($0.entity).\($0.property ?? "")" }
      }
    }

    #expect(problems("a").isEmpty && problems("lowercase:(a)").isEmpty)
    #expect(problems("b") == ["E.d"] && problems("sqrt:(a)") == ["E.d"] && problems("a.@count.b") == ["E.d"])
  }

  @Test(arguments: [
    ("memory", "transient"), ("long", "file of its own"), ("upper.@count", "leads to one object"),
    ("parts.parts.@sum.number", "no further"), ("parts.upper.@sum.number", "no further"),
    ("parts.@sum.text", "no number"), ("canonical:(number)", "no text"), ("parts.text", "to many objects"),
    ("first", "round in a circle"), ("parts.@max.first", "round in a circle"),
  ])
  func `a model is refused in which nobody could compute a derived attribute`(
    derivation: String, message: String
  ) {
    let error = #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [
        EntityDeclaration(
          "Part",
          attributes: [
            .init("text", .string), .init("number", .integer32),
            .init("memory", .string, isTransient: true),
            .init("long", .binary, allowsExternalStorage: true),
            .init("first", .string, derivation: "second"),
            .init("second", .string, derivation: derivation),
          ],
          relationships: [
            .toMany("parts", to: "Part", inverse: "upper"), .toOne("upper", to: "Part", inverse: "parts"),
          ])
      ])
    }

    let problems = error?.problems.filter { $0.property == "second" } ?? []
    #expect(problems.count == 1 && problems[0].message.contains(message), "\(problems)")
  }

  @Test func `derived attributes may stand one behind another, within bounds`() throws {
    func model(_ count: Int) throws -> ManagedObjectModel {
      let chain = (1...count).map {
        AttributeDescription("d\($0)", .string, derivation: $0 == 1 ? "text" : "d\($0 - 1)")
      }
      return try ManagedObjectModel(entities: [
        EntityDeclaration("Note", attributes: [.init("text", .string)] + chain)
      ])
    }
    let fixture = try TemporaryStore(model(64))
    let context = try fixture.store.newContext()
    let note = try context.insert(entity: "Note")
    note["text"] = .string("a")
    try context.save()
    #expect(note["d64"] == .string("a"))

    #expect(throws: ModelError.self) { try model(66) }
    #expect(throws: ModelError.self) { try model(3_000) }
  }

  @Test func `a derived attribute is refused that may be kept in a file of its own`() {
    #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [
        EntityDeclaration(
          "Note",
          attributes: [
            .init("bytes", .binary),
            .init("copy", .binary, allowsExternalStorage: true, derivation: "bytes"),
          ])
      ])
    }
  }

  @Test func `a derivation is read from a model's XML and written to it`() throws {
    let xml = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Note"><attribute name="title" optional="YES" attributeType="String"/>
          <attribute name="key" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(title)"/>
        </entity>
      </model>
      """
    let model = try ManagedObjectModel(modelFile: Array(xml.utf8))
    #expect(
      model.entity(named: "Note")?.property(named: "key")?.asAttribute?.derivation == "canonical:(title)")
    let again = try ManagedObjectModel(modelFile: Array(model.xml.utf8))
    #expect(
      again.entity(named: "Note")?.property(named: "key")?.asAttribute?.derivation == "canonical:(title)")
  }

  @Test func `attributes that a migration makes derived are computed for the rows that are there`() throws {
    func model(isDerived: Bool) throws -> ManagedObjectModel {
      func derived(_ name: String, _ type: AttributeType, _ derivation: String) -> [AttributeDescription] {
        isDerived ? [AttributeDescription(name, type, derivation: derivation)] : []
      }
      return try ManagedObjectModel(entities: [
        EntityDeclaration(
          "Basket",
          attributes: [
            .init("name", .string), .init("total", .double, derivation: isDerived ? "items.@sum.price" : nil),
          ]
            + derived("sortName", .string, "canonical:(name)")
            + derived("itemCount", .integer64, "items.@count")
            + derived("saved", .date, "now:()"),
          relationships: [.toMany("items", to: "Item", inverse: "basket")]),
        EntityDeclaration(
          "Item",
          attributes: [.init("price", .double)] + derived("label", .string, "uppercase:(basket.name)"),
          relationships: [.toOne("basket", to: "Basket", inverse: "items")]),
        EntityDeclaration(
          "Crate", parent: "Basket",
          // Named so that it stands before what it is derived from.
          attributes: derived("half", .double, "items.@avg.price") + derived("aCopy", .double, "half")),
      ])
    }
    let fixture = try TemporaryStore(model(isDerived: false))
    let old = try fixture.store.newContext()
    for (entity, name, prices) in [
      ("Basket", "Été", [1.5, 2]), ("Crate", "Crate", [3, 4]), ("Basket", "none", []),
    ] {
      let basket = try old.insert(entity: entity)
      basket["name"] = .string(name)
      for price in prices {
        let item = try old.insert(entity: "Item")
        item["price"] = .double(price)
        item.setTarget(basket, "basket")
      }
    }
    try old.save()

    let store = try PersistentStore(
      model: model(isDerived: true), path: fixture.path, options: .init(migration: .automatic))

    let new = try store.newContext()
    let baskets = try new.fetch(FetchRequest<ManagedObject>(entity: "Basket").sorted(by: "name"))
    #expect(baskets.map { $0["sortName"] } == [.string("crate"), .string("none"), .string("ete")])
    #expect(baskets.map { $0["itemCount"] } == [.integer(2), .integer(0), .integer(2)])
    #expect(baskets.map { $0["total"] } == [.double(7), .double(0), .double(3.5)])
    #expect(baskets[0]["half"] == .double(3.5) && baskets[0]["aCopy"] == .double(3.5))
    #expect(baskets.allSatisfy { $0["saved"] != .null })
    let items = try new.fetch(FetchRequest<ManagedObject>(entity: "Item"))
    #expect(Set(items.map { $0["label"] }) == [.string("\u{c9}T\u{c9}"), .string("CRATE")])
    try fixture.check()
  }
}

/// Stores have the triggers that Core Data would make: what is written past contexts counts, and what contexts write does not
/// count twice.
@Suite struct DerivationTriggerTests {
  private let fixture: TemporaryStore

  init() throws { fixture = try TemporaryStore(ManagedObjectModel(Basket.self, Item.self)) }

  @Test(arguments: 1...10)
  func `what triggers keep in the store is what contexts compute`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = try fixture.store.newContext()
    var baskets: [Basket] = []
    var items: [Item] = []
    for _ in 1...30 {
      for _ in 0...Int.random(in: 0...3, using: &random) {
        switch Int.random(in: 0...4, using: &random) {
        case 0: baskets.append(try context.insert(Basket.self) { $0.name = "Ä\(baskets.count)" })
        case 1:
          items.append(
            try context.insert(Item.self) {
              $0.price = Double(Int.random(in: 0...9, using: &random))
              $0.basket = baskets.randomElement(using: &random)
            })
        case 2: items.randomElement(using: &random)?.basket = baskets.randomElement(using: &random)
        case 3: items.randomElement(using: &random)?.price += 1
        default:
          guard let place = items.indices.randomElement(using: &random) else { continue }
          context.delete(items.remove(at: place))
        }
      }
      try context.save()
      let other = try fixture.store.newContext()
      for basket in baskets {
        let stored = try #require(other.object(for: basket.objectID) as? Basket)
        #expect(stored.itemCount == basket.items.count && basket.itemCount == basket.items.count)
        #expect(stored.total == basket.total && stored.total == basket.items.reduce(0) { $0 + $1.price })
        #expect(stored.sortName == basket.sortName && stored.saved == basket.saved)
      }
      for item in items {
        #expect((other.object(for: item.objectID) as? Item)?.label == item.basket?.name.uppercased())
      }
    }
    try fixture.check()
  }

  @Test func `rows that are written past all contexts are counted`() throws {
    let context = try fixture.store.newContext()
    let basket = try context.insert(Basket.self)
    for price in [1.0, 2, 4] {
      try context.insert(Item.self) {
        $0.price = price
        $0.basket = basket
      }
    }
    try context.save()

    let connection = try fixture.store.newConnection()
    try connection.run("DELETE FROM ZITEM WHERE ZPRICE = 2")
    try connection.run("UPDATE ZITEM SET ZPRICE = 8 WHERE ZPRICE = 4")

    let stored = try #require(try fixture.store.newContext().fetch(Basket.self).first)
    #expect(stored.itemCount == 2 && stored.total == 9)
  }

  @Test func `the least and greatest among objects of the same table are kept whichever row comes first`()
    throws
  {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Part",
        attributes: [
          .init("weight", .integer32), .init("lightest", .integer32, derivation: "parts.@min.weight"),
          .init("heaviest", .integer32, derivation: "parts.@max.weight"),
        ],
        relationships: [
          .toOne("whole", to: "Part", inverse: "parts"), .toMany("parts", to: "Part", inverse: "whole"),
        ]),
      EntityDeclaration("Wheel", parent: "Part"),
    ])
    let fixture = try TemporaryStore(model)
    let connection = try fixture.store.newConnection()

    try connection.run("INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZWEIGHT, ZWHOLE) VALUES (1, 2, 1, 5, 2)")
    try connection.run("INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZWEIGHT) VALUES (2, 1, 1, 9)")
    try connection.run("INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZWEIGHT, ZWHOLE) VALUES (3, 1, 1, 3, 2)")
    try connection.run("INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZWHOLE) VALUES (4, 1, 1, 2)")

    #expect(
      try connection.first("SELECT ZLIGHTEST || ' ' || ZHEAVIEST FROM ZPART WHERE Z_PK = 2") == .text("3 5"))
    #expect(try connection.first("SELECT count(ZLIGHTEST) FROM ZPART") == .integer(1))
  }

  @Test func `an object that is inserted as a member of itself is counted once`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Part",
        attributes: [
          .init("weight", .integer32), .init("count", .integer32, derivation: "parts.@count"),
          .init("total", .integer32, derivation: "parts.@sum.weight"),
        ],
        relationships: [
          .toOne("whole", to: "Part", inverse: "parts"), .toMany("parts", to: "Part", inverse: "whole"),
        ])
    ])
    let fixture = try TemporaryStore(model)
    let context = try fixture.store.newContext()
    let part = try context.insert(entity: "Part")
    part["weight"] = .integer(7)
    part.setTarget(part, "whole")

    try context.save()

    let other = try fixture.store.newContext()
    let stored = try #require(other.object(for: part.objectID))
    #expect(stored["count"] == .integer(1) && stored["total"] == .integer(7))
  }
}
