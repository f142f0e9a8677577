import LocalStoreConformance
import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// The stores of this project keep the laws of stores.
@Suite struct StoreConformanceTests {
  @Test(arguments: LocalStoreConformance.laws)
  func `plain tables keep the laws`(_ law: LocalStoreConformance.Law) throws {
    let outcome = try law.verify { ConformanceStore(try PlainStore()) { try PlainStore(path: $0) } }
    if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
  }

  @Test(arguments: LocalStoreConformance.laws)
  func `plain tables whose connection somebody else opened keep the laws`(_ law: LocalStoreConformance.Law)
    throws
  {
    let outcome = try law.verify {
      ConformanceStore(SharingStore(try PlainStore())) { SharingStore(try PlainStore(path: $0)) }
    }
    if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
  }

  @Test(arguments: LocalStoreConformance.laws, ConformanceModel.allCases)
  func `object stores keep the laws`(_ law: LocalStoreConformance.Law, _ model: ConformanceModel) throws {
    let folder = try TemporaryFolder()
    let outcome = try law.verify {
      let store = try PersistentStore(
        model: model.model(), path: folder.file("\(UInt64.random(in: 0 ... .max))"))
      return ConformanceStore(try ManagedLocalStore(store: store), abstractEntities: ["Item"]) { path in
        try ManagedLocalStore(store: PersistentStore(model: model.model(), path: path))
      }
    }
    if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
  }

  @Test func `a store that has nothing of what a law is about is told so`() throws {
    let lists = try #require(LocalStoreConformance.laws.first { $0.description.contains("ordered list") })
    let folder = try TemporaryFolder()
    let outcome = try lists.verify {
      let store = try PersistentStore(model: ConformanceModel.values.model(), path: folder.file("store"))
      return ConformanceStore(try ManagedLocalStore(store: store))
    }
    #expect(outcome == .skipped("the store has no ordered relationships"))
  }
}

/// Hands the engine the bare handle of a connection that it keeps working on itself.
private final class SharingStore: ForwardingStore {
  private lazy var shared = SharedDatabase(
    handle: base.database.handle, path: base.connection.path, keeping: base)

  override var database: SharedDatabase { shared }
}

/// Models that have, together, every kind of property.
enum ConformanceModel: String, CaseIterable {
  case values, uniqueness, family, referredFamily, relationships, ownInverses

  func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: entities)
  }

  private var entities: [EntityDeclaration] {
    switch self {
    case .values:
      let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary,
        .uuid,
        .uri,
      ]
      return [entity("Sample", types.map { AttributeDescription("\($0)", $0) })]
    case .uniqueness:
      return [
        entity(
          "Account", [.init("mail", .string), .init("bank", .string), .init("number", .integer64)],
          uniqueness: [["mail"], ["bank", "number"]])
      ]
    case .family:
      return [
        entity(
          "Item", [.init("title", .string), .init("code", .string)],
          [.toOne("shelf", to: "Shelf", inverse: "items")], isAbstract: true, uniqueness: [["code"]]),
        entity("Book", parent: "Item", [.init("pages", .integer32)]),
        entity("Magazine", parent: "Item", [.init("issue", .string)]),
        entity("Shelf", [.init("name", .string)], [.toMany("items", to: "Item", inverse: "shelf")]),
      ]
    case .referredFamily:
      return [
        entity("Item", [.init("title", .string)], isAbstract: true),
        entity("Book", parent: "Item", []), entity("Magazine", parent: "Item", []),
        entity("Reader", [], [.toOne("favourite", to: "Item", inverse: nil)]),
      ]
    case .relationships:
      return [
        entity(
          "Person", [.init("name", .string)],
          [
            .toOne("team", to: "Team", inverse: "members"), .toOne("desk", to: "Desk", inverse: "person"),
            .toMany("skills", to: "Skill", inverse: "people"),
            .toMany("followed", to: "Team", inverse: "followers"),
          ]),
        entity(
          "Team", [],
          [
            .toMany("members", to: "Person", inverse: "team", isOrdered: true),
            .toMany("followers", to: "Person", inverse: "followed"),
          ]),
        entity("Desk", [.init("room", .integer16)], [.toOne("person", to: "Person", inverse: "desk")]),
        entity("Skill", [], [.toMany("people", to: "Person", inverse: "skills", isOrdered: true)]),
      ]
    case .ownInverses:
      return [
        entity(
          "Guest", [.init("name", .string)],
          [
            .toOne("spouse", to: "Guest", inverse: "spouse"),
            .toMany("friends", to: "Guest", inverse: "friends"),
          ])
      ]
    }
  }

  private func entity(
    _ name: String, parent: String? = nil, _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription] = [], isAbstract: Bool = false, uniqueness: [[String]] = []
  ) -> EntityDeclaration {
    let identity = AttributeDescription("ticdsSyncID", .string)
    return EntityDeclaration(
      name, parent: parent, isAbstract: isAbstract,
      attributes: parent == nil ? [identity] + attributes : attributes,
      relationships: relationships, uniquenessConstraints: uniqueness)
  }
}
