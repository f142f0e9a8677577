import ObjectStore
import Testing

/// The relationships of an object whose deletion a merge policy takes back because others have changed it.
@Suite struct SparedRelationshipTests {
  final class Crate: ManagedObject {
    @Attribute var name = ""
    @ToMany(inverse: \Box.crate) var boxes: [Box]
  }

  final class Box: ManagedObject {
    @Attribute var name = ""
    @ToOne var crate: Crate?
    @ToOne var lid: Lid?
    @ToMany var labels: Set<Label>
  }

  final class Lid: ManagedObject {
    @Attribute var name = ""
    @ToOne(inverse: \Box.lid) var box: Box?
  }

  final class Label: ManagedObject {
    @Attribute var name = ""
    @ToMany(inverse: \Box.labels) var boxes: Set<Box>
  }

  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext

  /// A store with a crate of three boxes, of which the second has a lid and a label.
  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Crate.self, Box.self, Lid.self, Label.self))
    mine = try fixture.store.newContext()
    mine.mergesChangesAutomatically = false
    let crate = try mine.insert(Crate.self)
    for name in ["a", "b", "c"] { crate.boxes.append(try mine.insert(Box.self) { $0.name = name }) }
    crate.boxes[1].lid = try mine.insert(Lid.self)
    crate.boxes[1].labels = [try mine.insert(Label.self)]
    try mine.save()
  }

  private func contents(_ context: ManagedObjectContext) throws -> [String] {
    let crate = try #require(try context.fetch(Crate.self).first)
    let lid = try #require(try context.fetch(Lid.self).first)
    let label = try #require(try context.fetch(Label.self).first)
    return crate.boxes.map { box in
      box.name + (box.crate === crate ? "" : " without crate") + (box.lid === lid ? " with lid" : "")
        + (box.labels.contains(label) ? " with label" : "")
    } + [lid.box?.name ?? "-"] + label.boxes.map(\.name)
  }

  private func delete<Object: ManagedObject>(
    _ object: Object?, _ policy: MergePolicy, whileOthersRename rename: (ManagedObjectContext) throws -> Void
  ) throws {
    mine.mergePolicy = policy
    mine.delete(try #require(object))
    let theirs = try fixture.store.newContext()
    try rename(theirs)
    try theirs.save()
    try mine.save()
  }

  private func expect(_ wanted: [String]) throws {
    #expect(try contents(fixture.store.newContext()) == wanted)
    #expect(try contents(mine) == wanted)
    #expect(!mine.hasChanges)
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `what holds relationships itself has them as before`(policy: MergePolicy) throws {
    try delete(mine.fetch(Box.self).first { $0.name == "b" }, policy) { context in
      try context.fetch(Box.self).first { $0.name == "b" }?.name = "renamed"
    }
    try expect(["a", "renamed with lid with label", "c", "renamed", "renamed"])
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `what others lead to has its members as before`(policy: MergePolicy) throws {
    try delete(mine.fetch(Crate.self).first, policy) { try $0.fetch(Crate.self).first?.name = "renamed" }
    try expect(["a", "b with lid with label", "c", "b", "b"])
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `the other side of a pair and of links is as before`(policy: MergePolicy) throws {
    try delete(mine.fetch(Lid.self).first, policy) { try $0.fetch(Lid.self).first?.name = "renamed" }
    try delete(mine.fetch(Label.self).first, policy) { try $0.fetch(Label.self).first?.name = "renamed" }
    try expect(["a", "b with lid with label", "c", "b", "b"])
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `who was given to another since it was deleted stays there`(policy: MergePolicy) throws {
    try delete(mine.fetch(Crate.self).first, policy) { try $0.fetch(Crate.self).first?.name = "renamed" }
    let crate = try #require(try mine.fetch(Crate.self).first)
    mine.delete(crate)
    let other = try mine.insert(Crate.self) { $0.name = "other" }
    try mine.fetch(Box.self).first { $0.name == "b" }?.crate = other
    let theirs = try fixture.store.newContext()
    try theirs.fetch(Crate.self).first?.name = "again"
    try theirs.save()
    try mine.save()

    for context in [mine, try fixture.store.newContext()] {
      let crates = try context.fetch(Crate.self)
      let names = Dictionary(uniqueKeysWithValues: crates.map { ($0.name, $0.boxes.map(\.name)) })
      #expect(names == ["again": ["a", "c"], "other": ["b"]])
    }
  }
}
