import ObjectStore
import TemporaryFolders
import Testing

/// Relationships that lost their target, which one context deletes or gives to another object, and another context writes.
@Suite struct ClearedRelationshipTests {
  private let folder: TemporaryFolder
  private let mine: ManagedObjectContext
  private let theirs: ManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Shelf", attributes: [.init("name", .string)],
        relationships: [.init("things", to: "Thing", inverse: "shelf", isToMany: true, isOrdered: true)]),
      EntityDeclaration(
        "Thing", attributes: [.init("name", .string)],
        relationships: [
          .init("shelf", to: "Shelf", inverse: "things", isToMany: false),
          .init("badge", to: "Badge", inverse: "thing", isToMany: false),
        ]),
      EntityDeclaration(
        "Badge", attributes: [.init("name", .string)],
        relationships: [.init("thing", to: "Thing", inverse: "badge", isToMany: false)]),
    ])
    let store = try PersistentStore(model: model, path: folder.file("store.sqlite"))
    (mine, theirs) = (try store.newContext(), try store.newContext())
    func insert(_ entity: String, _ name: String) throws -> ManagedObject {
      let object = try mine.insert(entity: entity)
      object["name"] = .string(name)
      return object
    }
    let shelf = try insert("Shelf", "a")
    _ = (try insert("Shelf", "b"), try insert("Badge", "2"))
    let (lamp, vase, badge) = (
      try insert("Thing", "lamp"), try insert("Thing", "vase"), try insert("Badge", "1")
    )
    lamp.setTarget(shelf, "shelf")
    lamp.setTarget(badge, "badge")
    _ = vase
    try mine.save()
  }

  private func object(_ entity: String, _ name: String, in context: ManagedObjectContext) throws
    -> ManagedObject
  {
    try #require(
      try context.fetch(FetchRequest<ManagedObject>(entity: entity)).first { $0["name"] == .string(name) })
  }

  /// What a relationship of the lamp leads to, as somebody sees it who comes later.
  private func stored(_ relationship: String) throws -> AttributeValue? {
    let context = try mine.store.newContext()
    return try object("Thing", "lamp", in: context).target(relationship)?["name"]
  }

  @Test(arguments: [MergePolicy.error, .objectWins, .storeWins, .rollback], [false, true])
  func `what others moved stays there though its former place is deleted here`(
    policy: MergePolicy, alsoEdits: Bool
  ) throws {
    mine.mergePolicy = policy
    mine.delete(try object("Shelf", "a", in: mine))
    try object("Thing", "lamp", in: theirs).setTarget(try object("Shelf", "b", in: theirs), "shelf")
    try theirs.save()
    if alsoEdits { try object("Thing", "lamp", in: mine)["name"] = .string("lamp") }

    mine.mergePendingChanges()
    #expect(mine.editConflicts.isEmpty)
    try mine.save()

    #expect(try stored("shelf") == .string("b"))
    #expect(try object("Thing", "lamp", in: mine).target("shelf")?["name"] == .string("b"))
    #expect(try mine.fetch(FetchRequest<ManagedObject>(entity: "Shelf")).count == 1)
  }

  @Test(arguments: [false, true])
  func `what others moved keeps the place among the members that they gave it`(isLoaded: Bool) throws {
    let shelf = try object("Shelf", "b", in: mine)
    for name in ["vase", "jar"] {
      let thing = try name == "vase" ? object("Thing", name, in: mine) : mine.insert(entity: "Thing")
      thing["name"] = .string(name)
      thing.setTarget(shelf, "shelf")
    }
    try mine.save()
    if isLoaded { #expect(shelf.members("things").count == 2) }
    mine.delete(try object("Shelf", "a", in: mine))
    theirs.mergePendingChanges()
    let (lamp, target) = (try object("Thing", "lamp", in: theirs), try object("Shelf", "b", in: theirs))
    target.setMembers([lamp] + target.members("things"), "things")
    try theirs.save()

    mine.mergePendingChanges()
    let shown = shelf.members("things").map { $0["name"] }
    try mine.save()

    let context = try mine.store.newContext()
    let order = [AttributeValue.string("lamp"), .string("vase"), .string("jar")]
    #expect(shown == order)
    #expect(try object("Shelf", "b", in: context).members("things").map { $0["name"] } == order)
  }

  @Test(arguments: [MergePolicy.error, .objectWins, .storeWins, .rollback])
  func `what is moved here goes there though others have deleted its former place`(policy: MergePolicy) throws
  {
    mine.mergePolicy = policy
    try object("Thing", "lamp", in: mine).setTarget(try object("Shelf", "b", in: mine), "shelf")
    theirs.delete(try object("Shelf", "a", in: theirs))
    try theirs.save()

    mine.mergePendingChanges()
    #expect(mine.editConflicts.isEmpty)
    try mine.save()

    #expect(try stored("shelf") == .string("b"))
  }

  @Test func `what others moved to a place that is deleted here too leads nowhere`() throws {
    for name in ["a", "b"] { mine.delete(try object("Shelf", name, in: mine)) }
    try object("Thing", "lamp", in: theirs).setTarget(try object("Shelf", "b", in: theirs), "shelf")
    try theirs.save()

    try mine.save()

    #expect(try stored("shelf") == nil)
  }

  @Test(arguments: [MergePolicy.error, .objectWins, .storeWins, .rollback])
  func `who is given another target by others keeps it though the former one is given to somebody else here`(
    policy: MergePolicy
  ) throws {
    mine.mergePolicy = policy
    try object("Thing", "vase", in: mine).setTarget(try object("Badge", "1", in: mine), "badge")
    try object("Thing", "lamp", in: theirs).setTarget(try object("Badge", "2", in: theirs), "badge")
    try theirs.save()

    mine.mergePendingChanges()
    try mine.save()

    #expect(try stored("badge") == .string("2"))
    #expect(try object("Thing", "vase", in: mine).target("badge")?["name"] == .string("1"))
  }

  @Test func `who comes back does not take what others have given to somebody else since`() throws {
    mine.undoIsEnabled = true
    let lamp = try object("Thing", "lamp", in: mine)
    mine.delete(lamp)
    try mine.save()
    theirs.mergePendingChanges()
    try object("Badge", "1", in: theirs).setTarget(try object("Thing", "vase", in: theirs), "thing")
    try theirs.save()

    mine.mergePendingChanges()
    mine.undo()
    try mine.save()

    #expect(try stored("badge") == nil)
    let context = try mine.store.newContext()
    #expect(try object("Thing", "vase", in: context).target("badge")?["name"] == .string("1"))
  }

  @Test func `what is taken out of its place here is a conflict with a move of others`() throws {
    try object("Thing", "lamp", in: mine).setTarget(nil, "shelf")
    try object("Thing", "lamp", in: theirs).setTarget(try object("Shelf", "b", in: theirs), "shelf")
    try theirs.save()

    mine.mergePendingChanges()

    #expect(mine.editConflicts.count == 1)
    #expect(throws: SaveError.self) { try mine.save() }
  }
}
