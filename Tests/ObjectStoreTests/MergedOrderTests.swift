import ObjectStore
import Testing

/// Lists with an order that were changed here, and of which others have saved other members meanwhile.
@Suite struct MergedOrderTests {
  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext
  private let theirs: ManagedObjectContext
  private let parent: Folder

  init() throws {
    fixture = try TemporaryStore()
    mine = try fixture.store.newContext()
    theirs = try fixture.store.newContext()
    parent = try mine.insert(Folder.self) { $0.name = "parent" }
    for name in ["a", "b", "c", "d"] {
      parent.children.append(try mine.insert(Folder.self) { $0.name = name })
    }
    try mine.save()
  }

  private func their(_ name: String) throws -> Folder {
    try #require(try theirs.first(Folder.self, where: \.name == name))
  }

  private func stored() throws -> [String] {
    let context = try fixture.store.newContext()
    return try #require(try context.first(Folder.self, where: \.name == "parent")).children.map(\.name)
  }

  @Test func `who has left is in the list no more, and is not taken back by its save`() throws {
    parent.children.append(try mine.insert(Folder.self) { $0.name = "mine" })
    let other = try theirs.insert(Folder.self) { $0.name = "other" }
    try their("b").parent = other
    try theirs.save()

    mine.mergePendingChanges()
    #expect(parent.children.map(\.name) == ["a", "c", "d", "mine"])
    parent.children = parent.children.reversed()
    try mine.save()

    #expect(try stored() == ["mine", "d", "c", "a"])
    let fresh = try fixture.store.newContext()
    #expect(try fresh.first(Folder.self, where: \.name == "b")?.parent?.name == "other")
  }

  @Test func `who has come follows whom it follows in the store, in the order that was chosen here`() throws {
    parent.children = parent.children.reversed()
    let list = try their("parent")
    list.children.insert(try theirs.insert(Folder.self) { $0.name = "new" }, at: 2)
    list.children.insert(try theirs.insert(Folder.self) { $0.name = "first" }, at: 0)
    try theirs.save()

    mine.mergePendingChanges()

    #expect(parent.children.map(\.name) == ["first", "d", "c", "b", "new", "a"])
    try mine.save()
    #expect(try stored() == ["first", "d", "c", "b", "new", "a"])
  }

  @Test func `who was deleted elsewhere is gone, and who was removed here stays away`() throws {
    let away = parent.children[0]
    parent.children.removeFirst()
    theirs.delete(try their("c"))
    try theirs.save()

    try mine.save()

    #expect(parent.children.map(\.name) == ["b", "d"])
    #expect(try stored() == ["b", "d"])
    #expect(away.parent == nil)
  }
}
