import ObjectStore
import Testing

/// Members that come to an ordered relationship of which nothing is in memory.
@Suite struct UnloadedOrderTests {
  private let fixture: TemporaryStore

  init() throws {
    fixture = try TemporaryStore(
      ManagedObjectModel(entities: [
        EntityDeclaration(
          "List", attributes: [.init("name", .string)],
          relationships: [
            .toMany("items", to: "Item", inverse: "list", isOrdered: true),
            .toMany("favourites", to: "Item", inverse: "fans", isOrdered: true),
          ]),
        EntityDeclaration(
          "Item", attributes: [.init("name", .string)],
          relationships: [
            .toOne("list", to: "List", inverse: "items"),
            .toMany("fans", to: "List", inverse: "favourites"),
          ]),
      ]))
  }

  private func object(_ entity: String, _ name: String, in context: ManagedObjectContext) throws
    -> ManagedObject
  {
    let request = FetchRequest<ManagedObject>(entity: entity).where(.property("name", equals: .string(name)))
    return try #require(try context.fetch(request).first)
  }

  private func names(_ relationship: String, in context: ManagedObjectContext) throws -> String {
    try object("List", "list", in: context).members(relationship).map { member in
      if case .string(let name) = member["name"] { name } else { "?" }
    }.joined()
  }

  /// A list that has `ab`, and saved items `c` to `f` that belong nowhere.
  private func populate(_ relationship: String) throws {
    let context = try fixture.store.newContext()
    let list = try context.insert(entity: "List")
    list["name"] = .string("list")
    var items: [ManagedObject] = []
    for name in ["a", "b", "c", "d", "e", "f"] {
      let item = try context.insert(entity: "Item")
      item["name"] = .string(name)
      items.append(item)
    }
    list.setMembers(Array(items[..<2]), relationship)
    try context.save()
  }

  @Test(
    arguments: ["items", "favourites"], ["cdef", "fedc", "ecfd"])
  func `those that are appended stand in the order in which they came`(
    relationship: String, order: String
  ) throws {
    try populate(relationship)
    let context = try fixture.store.newContext()
    let list = try object("List", "list", in: context)
    let index = try #require(list.entity.index(of: relationship))

    for name in order {
      list.insertMember(try object("Item", String(name), in: context), at: index, position: nil)
    }

    #expect(try names(relationship, in: context) == "ab" + order)
    try context.save()
    #expect(try names(relationship, in: context) == "ab" + order)
    #expect(try names(relationship, in: fixture.store.newContext()) == "ab" + order)
    try fixture.check()
  }

  @Test(arguments: ["cdef", "fedc", "ecfd"], [false, true])
  func `so do those whose own side is set, in a child too`(order: String, isChild: Bool) throws {
    try populate("items")
    let parent = try fixture.store.newContext()
    let context = isChild ? parent.makeChild() : parent
    let list = try object("List", "list", in: context)

    for name in order { try object("Item", String(name), in: context).setTarget(list, "list") }

    try context.save()
    #expect(try names("items", in: parent) == "ab" + order)
    try parent.save()
    #expect(try names("items", in: fixture.store.newContext()) == "ab" + order)
  }

  @Test func `one that leaves and comes back stands at the end`() throws {
    try populate("items")
    let context = try fixture.store.newContext()
    let (list, item) = (try object("List", "list", in: context), try object("Item", "a", in: context))

    item.setTarget(nil, "list")
    item.setTarget(list, "list")
    try object("Item", "c", in: context).setTarget(list, "list")
    try context.save()

    #expect(try names("items", in: context) == "bac")
    #expect(try names("items", in: fixture.store.newContext()) == "bac")
  }
}
