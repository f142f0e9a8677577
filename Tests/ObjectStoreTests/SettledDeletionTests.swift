import ObjectStore
import Testing

/// Deletions that met what others saved, or that were taken back.
@Suite struct SettledDeletionTests {
  private func owned(isRequired: Bool) throws -> (fixture: TemporaryStore, context: ManagedObjectContext) {
    let fixture = try TemporaryStore(
      ManagedObjectModel(entities: [
        EntityDeclaration(
          "Owner", attributes: [.init("name", .string)],
          relationships: [.init("things", to: "Thing", inverse: "owner", isToMany: true)]),
        EntityDeclaration(
          "Thing", attributes: [.init("name", .string)],
          relationships: [
            .init("owner", to: "Owner", inverse: "things", isToMany: false, isOptional: !isRequired)
          ]),
      ]))
    return (fixture, try fixture.store.newContext())
  }

  private func first(_ entity: String, in context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.fetch(FetchRequest<ManagedObject>(entity: entity)).first)
  }

  @Test func `one that wins is refused if it leaves nothing where there must be something`() throws {
    let (fixture, mine) = try owned(isRequired: true)
    mine.mergePolicy = .objectWins
    mine.mergesChangesAutomatically = false
    let owner = try mine.insert(entity: "Owner")
    try mine.save()
    mine.delete(owner)
    let theirs = try fixture.store.newContext()
    let theirOwner = try first("Owner", in: theirs)
    theirOwner["name"] = .string("renamed")
    try theirs.insert(entity: "Thing").setTarget(theirOwner, "owner")
    try theirs.save()

    #expect(throws: SaveError.self) { try mine.save() }

    let fresh = try fixture.store.newContext()
    let kept = try first("Owner", in: fresh)
    #expect(try first("Thing", in: fresh).target("owner") === kept)
    try fixture.check()
  }

  @Test func `who leads elsewhere is no partner of itself any more, though others made it one`() throws {
    let fixture = try TemporaryStore(
      ManagedObjectModel(entities: [
        EntityDeclaration(
          "Node", attributes: [.init("name", .string)],
          relationships: [
            .init("next", to: "Node", inverse: "previous", isToMany: false),
            .init("previous", to: "Node", inverse: "next", isToMany: false),
          ])
      ]))
    let mine = try fixture.store.newContext()
    mine.mergePolicy = .objectWins
    mine.mergesChangesAutomatically = false
    let (node, other) = (try mine.insert(entity: "Node"), try mine.insert(entity: "Node"))
    node["name"] = .string("node")
    try mine.save()
    node.setTarget(other, "next")
    let theirs = try fixture.store.newContext()
    for object in try theirs.fetch(FetchRequest<ManagedObject>(entity: "Node")) {
      if object["name"] == .string("node") { object.setTarget(object, "next") } else { theirs.delete(object) }
    }
    try theirs.save()

    try mine.save()

    for context in [mine, try fixture.store.newContext()] {
      let left = try first("Node", in: context)
      #expect(left.target("next") == nil)
      #expect(left.target("previous") == nil)
    }
    try fixture.check()
  }

  @Test func `a child has an object again whose deletion its parent took back`() throws {
    let (_, parent) = try owned(isRequired: false)
    let owner = try parent.insert(entity: "Owner")
    let thing = try parent.insert(entity: "Thing")
    thing["name"] = .string("thing")
    thing.setTarget(owner, "owner")
    try parent.save()
    let child = parent.makeChild()
    let mirrored = try first("Thing", in: child)
    child.refresh(mirrored)
    parent.delete(thing)
    #expect(mirrored["name"] == .null)

    parent.rollback()
    child.mergePendingChanges()

    let found = try first("Thing", in: child)
    #expect(!found.isGone)
    #expect(found["name"] == .string("thing"))
    let members = try first("Owner", in: child).members("things")
    #expect(members.map { $0 === found } == [true])
  }
}
