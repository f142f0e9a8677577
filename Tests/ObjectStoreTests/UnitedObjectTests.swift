import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// What an object is after a merge policy has made it one with a saved one.
@Suite struct UnitedObjectTests {
  final class Label: ManagedObject {
    @Attribute(unique: true) var name: String = ""
    @Attribute var colour: String?
    @Attribute(isImmutable: true) var code: String?
    @Attribute var ticdsSyncID: String?
    @ToMany(inverse: \Page.labels) var pages: Set<Page>
  }

  final class Page: ManagedObject {
    @Attribute var title: String = ""
    @ToMany var labels: Set<Label>
    @ToOne var main: Label?
    @ToOne(inverse: \Drawer.pages) var drawer: Drawer?
  }

  final class Drawer: ManagedObject {
    @Attribute(unique: true) var name: String = ""
    @ToMany(deleteRule: .cascade) var pages: [Page]
  }

  private let fixture: TemporaryStore

  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Label.self, Page.self, Drawer.self))
    let context = try fixture.store.newContext()
    try context.insert(Label.self) {
      $0.name = "red"
      $0.code = "first"
      $0.ticdsSyncID = "saved"
    }
    let page = try context.insert(Page.self) { $0.title = "old" }
    try context.insert(Drawer.self) { $0.name = "top" }.pages = [page]
    try context.save()
  }

  private func rows(_ sql: String) throws -> SQLiteValue? { try fixture.store.newConnection().first(sql) }

  private func context(_ policy: MergePolicy) throws -> ManagedObjectContext {
    let context = try fixture.store.newContext()
    context.mergePolicy = policy
    return context
  }

  @Test(arguments: [MergePolicy.storeWins, .objectWins])
  func `a new object that equals a saved one has its identifier, and later edits are saved`(
    policy: MergePolicy
  ) throws {
    let context = try context(policy)
    let label = try context.insert(Label.self) {
      $0.name = "red"
      $0.colour = "dark"
    }
    let page = try context.insert(Page.self) {
      $0.labels = [label]
      $0.main = label
    }

    try context.save()

    #expect(label.objectID == fixture.store.objectID(label.entity, key: 1))
    #expect(!label.isGone && !label.isInserted && !label.hasChanges && label.context === context)
    #expect(context.object(for: label.objectID) === label)
    #expect(label.colour == (policy == .objectWins ? "dark" : nil))
    #expect(page.labels == [label] && page.main === label && label.pages == [page])
    label.colour = "light"
    try context.save()
    #expect(try rows("SELECT group_concat(ZCOLOUR) FROM ZLABEL") == .text("light"))
    #expect(try rows("SELECT ZMAIN FROM ZPAGE WHERE ZTITLE = ''") == .integer(1))
    try fixture.check()
  }

  @Test func `both are used as one if the saved object was in memory`() throws {
    let context = try context(.objectWins)
    let saved = try #require(try context.first(Label.self, where: \.name == "red"))
    let label = try context.insert(Label.self) {
      $0.name = "red"
      $0.colour = "dark"
    }

    try context.save()

    #expect(label.objectID == saved.objectID && saved.colour == "dark" && label.code == "first")
    label.colour = "light"
    #expect(saved.colour == "light" && saved.hasChanges && label.hasChanges)
    #expect(label.changedValues == ["colour": .string("light")])
    #expect(label.committedValue("colour") == .string("dark"))
    let page = try context.insert(Page.self) {
      $0.main = label
      $0.labels = [label]
    }
    #expect(page.main === saved && page.labels == [saved] && page.$labels.contains(label))
    #expect(label.pages == [page])
    label.$pages.remove(page)
    #expect(saved.pages.isEmpty)
    try context.save()
    #expect(try rows("SELECT ZCOLOUR FROM ZLABEL") == .text("light"))
    #expect(try context.fetch(Page.self, where: \.main == label) == [page])
    context.delete(label)
    #expect(saved.isDeleted && label.isDeleted)
    try context.save()
    #expect(try rows("SELECT count(*) FROM ZLABEL") == .integer(0))
    #expect(label.isGone && saved.isGone && page.main == nil)
    try fixture.check()
  }

  @Test func `the members of both are members of one, in order`() throws {
    let context = try context(.storeWins)
    let drawer = try context.insert(Drawer.self) { $0.name = "top" }
    drawer.pages = try ["a", "b"].map { title in try context.insert(Page.self) { $0.title = title } }

    try context.save()

    #expect(drawer.pages.map(\.title) == ["old", "a", "b"])
    #expect(drawer.pages.allSatisfy { $0.drawer === drawer })
    drawer.pages.removeFirst()
    try context.save()
    let fresh = try fixture.store.newContext()
    #expect(try fresh.fetch(Drawer.self).map { $0.pages.map(\.title) } == [["a", "b"]])
  }

  @Test func `an immutable value is never changed, by a policy or by an assignment`() throws {
    fixture.store.makeImmutable(attributesNamed: ["ticdsSyncID"])
    let context = try context(.objectWins)
    let label = try context.insert(Label.self) {
      $0.name = "red"
      $0.code = "second"
      $0.ticdsSyncID = "new"
    }

    try context.save()

    #expect(label.code == "first" && label.ticdsSyncID == "saved")
    for change in [\Label.code, \Label.ticdsSyncID] {
      label[keyPath: change] = "third"
      let error = #expect(throws: SaveError.self) { try context.save() }
      guard case .invalidValue(label.objectID, _, _)? = error?.problems.first else {
        Issue.record("\(String(describing: error))")
        return
      }
      context.rollback()
    }
    #expect(throws: SaveError.self) {
      try context.updateRows(FetchRequest<Label>(), .set(\.ticdsSyncID, to: "third"))
    }
    #expect(try rows("SELECT ZCODE || ZTICDSSYNCID FROM ZLABEL") == .text("firstsaved"))
    let other = try context.insert(Label.self) { $0.name = "green" }
    try context.save()
    other.code = "its first value"
    try context.save()
  }

  @Test func `a value that somebody else gave first stays, whatever the policy`() throws {
    let context = try context(.objectWins)
    context.mergesChangesAutomatically = false
    let label = try context.insert(Label.self) { $0.name = "green" }
    try context.save()
    let others = try self.context(.error)
    try #require(try others.first(Label.self, where: \.name == "green")).code = "theirs"
    try others.save()

    label.code = "mine"
    label.colour = "mine"
    try context.save()

    #expect(label.code == "theirs" && label.colour == "mine")
    #expect(try rows("SELECT ZCODE || ZCOLOUR FROM ZLABEL WHERE ZNAME = 'green'") == .text("theirsmine"))
  }

  @Test(arguments: [false, true])
  func `children have the same object for a row that became one`(isHeld: Bool) throws {
    let context = try context(.objectWins)
    let child = context.makeChild()
    let saved = isHeld ? try child.first(Label.self, where: \.name == "red") : nil
    let label = try child.insert(Label.self) { $0.name = "red" }
    let page = try child.insert(Page.self) { $0.main = label }
    try child.save()

    try context.save()

    #expect(label.objectID.key == 1 && page.main?.objectID == label.objectID)
    label.colour = "light"
    #expect(saved.map { $0.colour == "light" } ?? true)
    try child.save()
    try context.save()
    #expect(try rows("SELECT ZCOLOUR FROM ZLABEL") == .text("light"))
  }

  @Test func `undoing the insertion of an object that became a saved one does not delete that`() throws {
    let context = try context(.storeWins)
    context.undoIsEnabled = true
    let label = try context.insert(Label.self) { $0.name = "red" }
    try context.insert(Page.self) { $0.title = "new" }
    try context.save()

    context.undo()
    try context.save()

    #expect(!label.isGone && label.name == "red")
    #expect(try rows("SELECT count(*) FROM ZLABEL") == .integer(1))
    #expect(try rows("SELECT count(*) FROM ZPAGE") == .integer(1))
  }

  @Test func `many objects that are saved already are made again without harm`() throws {
    let setUp = try fixture.store.newContext()
    for number in 0..<300 { try setUp.insert(Label.self) { $0.name = "label \(number)" } }
    try setUp.save()
    let context = try context(.storeWins)
    let labels = try (0..<300).map { number in try context.insert(Label.self) { $0.name = "label \(number)" }
    }
    let page = try context.insert(Page.self)
    page.labels = Set(labels)

    try context.save()

    #expect(page.labels == Set(labels) && Set(labels.map(\.objectID.key)).count == 300)
    #expect(try rows("SELECT count(*) FROM ZLABEL") == .integer(301))
    let fresh = try fixture.store.newContext()
    #expect(try fresh.fetch(Page.self, where: .count(\.$labels) == 300).count == 1)
    try fixture.check()
  }
}
