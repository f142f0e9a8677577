import ObjectStore
import Testing

@Suite struct ModelTests {
  class Shape: ManagedObject {
    override class var entityOptions: EntityOptions? { EntityOptions(Shape.self, isAbstract: true) }
    @Attribute var name: String = ""
    @ToOne(inverse: \Drawing.shapes) var drawing: Drawing?
  }

  final class Circle: Shape {
    @Attribute var radius: Double = 1
  }

  final class Square: Shape {
    @Attribute var aside: Double = 1
  }

  final class Drawing: ManagedObject {
    @ToMany var shapes: Set<Shape>
  }

  @Test func `classes become entities with what they inherit`() throws {
    let model = try ManagedObjectModel(Circle.self, Square.self, Drawing.self)

    #expect(model.entities.map(\.name) == ["Drawing", "Shape", "Circle", "Square"])
    let square = try #require(model.entity(for: Square.self))
    #expect(square.parent?.name == "Shape")
    #expect(square.properties.map(\.name) == ["name", "aside", "drawing"])
    #expect(model.entity(named: "Shape")?.isAbstract == true)
    #expect(model.entity(named: "Shape")?.relationship(at: 1)?.inverse == "shapes")
  }

  @Test func `objects of sub-entities are fetched by their parent and keep their class`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Circle.self, Square.self, Drawing.self))
    let context = try fixture.store.newContext()
    let drawing = try context.insert(Drawing.self)
    try context.insert(Circle.self) {
      $0.name = "c"
      $0.radius = 2
      $0.drawing = drawing
    }
    try context.insert(Square.self) {
      $0.name = "s"
      $0.aside = 3
      $0.drawing = drawing
    }
    #expect(throws: ContextError.abstractEntity("Shape")) { try context.insert(Shape.self) }
    try context.save()

    let other = try fixture.store.newContext()
    let shapes = try other.fetch(FetchRequest<Shape>().sorted(by: \.name))
    #expect((shapes.first as? Circle)?.radius == 2)
    #expect((shapes.last as? Square)?.aside == 3)
    #expect(try other.fetch(Square.self, where: \.name == "s").count == 1)
    #expect(try other.fetch(Drawing.self).first?.shapes.count == 2)
    try fixture.check()
  }

  @Test(arguments: [(256, true), (257, false), (20_000, false)])
  func `chains of entities have an end`(ancestors: Int, isPermitted: Bool) throws {
    let chain = (0...ancestors).map { number in
      EntityDeclaration("E\(number)", parent: number == 0 ? nil : "E\(number - 1)")
    }

    if isPermitted {
      #expect(try ManagedObjectModel(entities: chain).entities.count == ancestors + 1)
    } else {
      let error = #expect(throws: ModelError.self) { try ManagedObjectModel(entities: chain) }
      #expect(error?.problems.map(\.message) == ["has more than 256 ancestors, or inherits from itself"])
    }
  }

  @Test func `every mistake of a model is named`() throws {
    let error = #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [
        EntityDeclaration(
          "A", parent: "Missing",
          attributes: [
            AttributeDescription("x", .integer16, defaultValue: .string("no")),
            AttributeDescription("X", .string),
            AttributeDescription("1st", .string),
          ],
          relationships: [
            .toOne("b", to: "B", inverse: "a"), .toMany("c", to: "Nowhere"),
            .toMany("d", to: "B", maximumCount: 1),
          ]),
        EntityDeclaration("B", uniquenessConstraints: [["nothing"]]),
      ])
    }
    #expect(
      error?.problems.map { "\($0.entity).\($0.property ?? "")" } == [
        "A.", "A.x", "A.X", "A.1st", "A.b", "A.c", "A.d", "B.nothing",
      ])
  }

  @Test func `a composite attribute is refused, in code and in files, instead of being taken for bytes`()
    throws
  {
    let message = "is a composite attribute, whose parts have columns of their own: declare the parts"
    let error = #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [
        EntityDeclaration("Quake", attributes: [.init("magnitude", .composite)])
      ])
    }
    #expect(error?.problems.map(\.message) == [message])
    let file = #"""
      <model><entity name="Quake"><attribute name="magnitude" attributeType="Composite"/></entity></model>
      """#
    let fileError = #expect(throws: ModelFileError.self) {
      try ManagedObjectModel(modelFile: Array(file.utf8))
    }
    #expect(fileError.map { "\($0)".contains(message) } == true)
  }

  @Test func `version hashes are those that Core Data computes`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "TICDSSyncChange",
        attributes: [
          AttributeDescription("changeType", .integer16, defaultValue: .integer(0)),
          AttributeDescription("changedAttributes", .transformable),
          AttributeDescription("changedRelationships", .transformable),
          AttributeDescription("localTimeStamp", .date), AttributeDescription("objectEntityName", .string),
          AttributeDescription("objectSyncID", .string),
          AttributeDescription("relatedObjectEntityName", .string),
          AttributeDescription("relevantKey", .string),
        ])
    ])
    let hash = model.entities[0].versionHash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hash == "dd9853bb9b2445ccd6f7bc3f59b6673ce55d7b6b11bca199c164acdcfeea88b2")
  }

  @Test func `a store of another model is refused with the differences`() throws {
    let fixture = try TemporaryStore()
    let other = try ManagedObjectModel(Drawing.self, Shape.self)
    let error = #expect(throws: StoreError.self) { try PersistentStore(model: other, path: fixture.path) }
    guard case .modelMismatch(let lines)? = error?.reason else {
      Issue.record("expected a mismatch")
      return
    }
    #expect(lines.count == 5)
  }
}
