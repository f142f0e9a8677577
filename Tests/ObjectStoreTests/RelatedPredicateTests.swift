import Foundation
import ObjectStore
import Testing

@Suite struct RelatedPredicateTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext

  init() throws {
    fixture = try TemporaryStore()
    context = try fixture.store.newContext()
  }

  /// Home has apple (1, red and round) and Birne (2, round); Work has cherry (3); Empty has nothing.
  private func fill(isSaved: Bool) throws {
    let red = try context.insert(Tag.self) { $0.name = "red" }
    let round = try context.insert(Tag.self) { $0.name = "round" }
    let home = try context.insert(Folder.self) { $0.name = "Home" }
    let work = try context.insert(Folder.self) {
      $0.name = "Work"
      $0.parent = home
    }
    try context.insert(Folder.self) { $0.name = "Empty" }
    for (title, stars, weight, folder, tags) in [
      ("apple", 1, 0.5, home, [red, round]), ("Birne", 2, nil, home, [round]), ("cherry", 3, 1.5, work, []),
    ] as [(String, Int16, Double?, Folder, Set<Tag>)] {
      try context.insert(Note.self) {
        $0.title = title
        $0.stars = stars
        $0.weight = weight
        $0.folder = folder
        $0.tags = tags
      }
    }
    if isSaved { try context.save() }
  }

  private func folders(_ predicate: FetchPredicate<Folder>) throws -> [String] {
    let request = FetchRequest<Folder>().where(predicate).sorted(by: \.name)
    let names = try context.fetch(request).map(\.name)
    #expect(try context.count(request) == names.count)
    return names
  }

  private func notes(_ predicate: FetchPredicate<Note>) throws -> [String] {
    try context.fetch(FetchRequest<Note>().where(predicate).sorted(by: \.title)).map(\.title)
  }

  @Test(arguments: [true, false]) func `conditions on related objects mean the same saved and unsaved`(
    isSaved: Bool
  ) throws {
    try fill(isSaved: isSaved)

    #expect(try folders(.any(\.$notes)) == ["Home", "Work"])
    #expect(try folders(.any(\.$notes, where: \.stars > 1)) == ["Home", "Work"])
    #expect(try folders(.any(\.notes, where: \.title == "apple")) == ["Home"])
    #expect(try folders(.all(\.$notes, where: \.stars > 1)) == ["Empty", "Work"])
    #expect(try folders(.none(\.$notes, where: \.stars > 2)) == ["Empty", "Home"])
    #expect(try folders(.none(\.$notes)) == ["Empty"])
    #expect(try folders(.any(\.$notes, where: .any(\.$tags, where: \.name == "red"))) == ["Home"])
    #expect(try folders(.any(\.$notes, where: \.folder?.name == "Work")) == ["Work"])
    #expect(try folders(.any(\.parent?.$notes, where: \.title == "apple")) == ["Work"])
    #expect(try folders(.any(\.$children, where: .count(\.$notes) == 1)) == ["Home"])
    #expect(try notes(.any(\.folder?.$children, where: \.name == "Work")) == ["Birne", "apple"])
    #expect(try notes(.all(\.$tags, where: \.name == "round")) == ["Birne", "cherry"])
    #expect(try folders(.any("notes", where: .property("title", equals: .string("cherry")))) == ["Work"])
  }

  @Test(arguments: [true, false]) func `related objects can be counted, summed up and compared`(
    isSaved: Bool
  ) throws {
    try fill(isSaved: isSaved)

    #expect(try folders(.count(\.$notes) > 1) == ["Home"])
    #expect(try folders(.count(\.$notes, where: \.stars >= 2) == 1) == ["Home", "Work"])
    #expect(try folders(.count(\.$notes) == .count(\.$children)) == ["Empty"])
    #expect(try folders(.sum(\.stars, in: \.$notes) == 3) == ["Home", "Work"])
    #expect(try folders(.sum(\.stars, in: \.$notes) == 0) == ["Empty"])
    #expect(try folders(.average(\.stars, in: \.$notes) == 1.5) == ["Home"])
    #expect(try folders(.maximum(\.weight, in: \.$notes) == nil) == ["Empty"])
    #expect(try folders(.minimum(\.title, in: \.$notes) == "Birne") == ["Home"])
    #expect(try notes(.count(\.$tags) + 1 > 2) == ["apple"])
    let sorted = FetchRequest<Folder>().sorted(by: .sum(\.stars, in: \.$notes), .descending).sorted(
      by: \.name, .descending)
    #expect(try context.fetch(sorted).map(\.name) == ["Work", "Home", "Empty"])
  }

  @Test(arguments: [true, false]) func `arithmetic and text functions compute as SQL does`(
    isSaved: Bool
  ) throws {
    try fill(isSaved: isSaved)

    #expect(try notes(\.stars * 2 > 2) == ["Birne", "cherry"])
    #expect(try notes(\.stars + \.stars == 4) == ["Birne"])
    #expect(try notes(\.stars / 2 == 1) == ["Birne", "cherry"])
    #expect(try notes(.double(\.stars) / 2 == 1.5) == ["cherry"])
    #expect(try notes(\.weight * 2 - 1 == 0) == ["apple"])
    #expect(try notes(\.weight * 2 == nil) == ["Birne"])
    #expect(try notes(\.weight / 0 == nil) == ["Birne", "apple", "cherry"])
    #expect(try notes(.double(\.stars) > .property(\.weight)) == ["apple", "cherry"])
    #expect(try notes(.length(\.title) == 6) == ["cherry"])
    #expect(try notes(.lowercased(\.title) == "birne") == ["Birne"])
    #expect(try notes(.uppercased(\.folder?.name) == "WORK") == ["cherry"])
  }

  @Test(arguments: [true, false]) func `a value can be looked for in what another request fetches`(
    isSaved: Bool
  ) throws {
    try fill(isSaved: isSaved)
    let round = try #require(try context.first(Tag.self, where: \.name == "round"))
    round.name = "apple"
    if isSaved { try context.save() }

    #expect(try notes(.among(\.title, \.name, of: FetchRequest<Tag>())) == ["apple"])
    #expect(try notes(.among(\.title, \.name, of: FetchRequest<Tag>().where(\.name == "red"))) == [])
    let all = try context.fetch(Note.self).filter { $0.stars > 1 }.map(\.objectID)
    #expect(try notes(.object(isAmong: all)) == ["Birne", "cherry"])
    let homes = try context.fetch(Folder.self, where: \.name == "Home").map(\.objectID)
    #expect(try notes(.related(\.folder, isAmong: homes)) == ["Birne", "apple"])
  }

  @Test func `an unsaved change of a related object changes what is found`() throws {
    try fill(isSaved: true)
    let home = try #require(try context.first(Folder.self, where: \.name == "Home"))
    let cherry = try #require(try context.first(Note.self, where: \.title == "cherry"))

    home.name = "House"
    #expect(try notes(\.folder?.name == "House") == ["Birne", "apple"])
    #expect(try notes(\.folder?.name == "Home" && \.stars > 0) == [])
    cherry.folder = home
    #expect(try folders(.count(\.$notes) == 3) == ["House"])
    context.delete(cherry)
    #expect(try folders(.any(\.$notes, where: \.title == "cherry")) == [])
    context.rollback()
    #expect(try folders(.any(\.$notes, where: \.title == "cherry")) == ["Work"])
  }
}
