import ObjectStore
import Testing

/// Objects that are deleted before they were ever saved, whatever their delete rules say.
@Suite struct NewObjectDeletionTests {
  struct Shape: Sendable {
    var isToMany: Bool
    var isOrdered: Bool
  }

  private func store(_ rule: DeleteRule, _ shape: Shape) throws -> TemporaryStore {
    try TemporaryStore(
      ManagedObjectModel(entities: [
        EntityDeclaration(
          "Owner", attributes: [.init("name", .string)],
          relationships: [.init("things", to: "Thing", inverse: "owners", isToMany: true, deleteRule: rule)]),
        EntityDeclaration(
          "Thing", attributes: [.init("name", .string)],
          relationships: [
            .init(
              "owners", to: "Owner", inverse: "things", isToMany: shape.isToMany, isOrdered: shape.isOrdered)
          ]),
      ]))
  }

  @Test(
    arguments: [
      Shape(isToMany: false, isOrdered: false), Shape(isToMany: true, isOrdered: false),
      Shape(isToMany: true, isOrdered: true),
    ], [DeleteRule.deny, .noAction, .nullify])
  func `nothing leads to one after the save`(shape: Shape, rule: DeleteRule) throws {
    let fixture = try store(rule, shape)
    let context = try fixture.store.newContext()
    let owner = try context.insert(entity: "Owner")
    let thing = try context.insert(entity: "Thing")
    if shape.isToMany { thing.setMembers([owner], "owners") } else { thing.setTarget(owner, "owners") }

    context.delete(owner)
    try context.save()

    for context in [context, try fixture.store.newContext()] {
      let thing = try #require(try context.fetch(FetchRequest<ManagedObject>(entity: "Thing")).first)
      #expect(thing.target("owners") == nil && thing.members("owners").isEmpty)
    }
    #expect(!context.hasChanges)
    try fixture.check()
  }
}
