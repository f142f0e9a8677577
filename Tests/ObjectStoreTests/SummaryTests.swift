import Foundation
import ObjectStore
import Testing

@Suite struct SummaryTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext
  private let notes = FetchRequest<Note>()

  init() throws {
    fixture = try TemporaryStore()
    context = try fixture.store.newContext()
  }

  private func fill(isSaved: Bool) throws {
    let home = try context.insert(Folder.self) { $0.name = "Home" }
    let work = try context.insert(Folder.self) { $0.name = "Work" }
    for (title, stars, weight, folder) in [
      ("a", 1, 0.5, home), ("b", 2, nil, home), ("b", 4, 1.5, work), ("c", 8, nil, nil),
    ] as [(String, Int16, Double?, Folder?)] {
      try context.insert(Note.self) {
        $0.title = title
        $0.stars = stars
        $0.weight = weight
        $0.folder = folder
      }
    }
    if isSaved { try context.save() }
  }

  @Test(arguments: [true, false])
  func `a sum that does not fit 64 bits is refused with the same error, saved or not`(isSaved: Bool) throws {
    final class Account: ManagedObject { @Attribute var cents: Int64 = 0 }
    let fixture = try TemporaryStore(ManagedObjectModel(Account.self))
    let context = try fixture.store.newContext()
    for cents in [Int64.max, 1] { try context.insert(Account.self) { $0.cents = cents } }
    if isSaved { try context.save() }
    let accounts = FetchRequest<Account>()

    let error = #expect(throws: ContextError.self) {
      try context.value(of: .sum(\.cents), from: accounts)
    }

    guard case .sumTooGreat("Account")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try context.value(of: .average(\.cents), from: accounts) != nil)
  }

  @Test(arguments: [true, false]) func `objects are counted and summed up by group`(isSaved: Bool) throws {
    try fill(isSaved: isSaved)

    let rows = try context.fetch(
      notes.summarized(
        by: .property(\.folder?.name), .count(), .sum(\.stars), .average(\.stars), .maximum(\.weight),
        .minimum(\.title)))

    #expect(rows.map(\.0) == [nil, "Home", "Work"])
    #expect(rows.map(\.1) == [1, 2, 1])
    #expect(rows.map(\.2) == [8, 3, 4])
    #expect(rows.map(\.3) == [8, 1.5, 4])
    #expect(rows.map(\.4) == [nil, 0.5, 1.5])
    #expect(rows.map(\.5) == ["c", "a", "b"])
  }

  @Test(arguments: [true, false]) func `groups can be left out, sorted and limited`(isSaved: Bool) throws {
    try fill(isSaved: isSaved)
    let byTitle = notes.where(\.stars < 8).summarized(by: .property(\.title), .count())

    #expect(try context.fetch(byTitle.having(.count() > 1)).map(\.0) == ["b"])
    #expect(try context.fetch(byTitle.sorted(by: .sum(\.stars), .descending)).map(\.0) == ["b", "a"])
    #expect(try context.fetch(byTitle.offset(1).limit(5)).map(\.0) == ["b"])
    #expect(try context.fetch(byTitle.having(!(.property(\.title) == "b"))).map(\.1) == [1])
  }

  @Test(arguments: [true, false]) func `without aggregates the rows are the different values`(
    isSaved: Bool
  ) throws {
    try fill(isSaved: isSaved)

    #expect(try context.fetch(notes.summarized(by: .property(\.title))) == ["a", "b", "c"])
    #expect(try context.fetch(notes.summarized(by: .each(.uppercased(\.title)))) == ["A", "B", "C"])
    #expect(
      try context.fetch(notes.summarized(by: .property("title"), .count())).map(\.0) == [
        .string("a"), .string("b"), .string("c"),
      ])
  }

  @Test(arguments: [true, false]) func `without groups there is one row, even for no object`(
    isSaved: Bool
  ) throws {
    try fill(isSaved: isSaved)
    let nothing = notes.where(\.stars > 100)

    #expect(try context.value(of: .sum(\.stars), from: notes) == 15)
    #expect(try context.value(of: .count(\.title, distinct: true), from: notes) == 3)
    #expect(try context.value(of: .count(\.weight), from: notes) == 2)
    #expect(try context.value(of: .average(\.weight), from: notes) == 1)
    #expect(try context.value(of: .sum(\.stars * \.stars), from: notes) == 85)
    #expect(try context.value(of: .sum(\.stars), from: nothing) == 0)
    #expect(try context.value(of: .maximum(\.modified), from: nothing) == nil)
    #expect(try context.fetch(nothing.summarized(by: .property(\.title), .count())).isEmpty)
  }

  @Test func `groups of a relationship are identified by their objects`() throws {
    try fill(isSaved: true)
    let home = try #require(try context.first(Folder.self, where: \.name == "Home"))

    let rows = try context.fetch(notes.summarized(by: .target(\.folder), .count()))

    #expect(rows.first { $0.0 == home.objectID }?.1 == 2)
    #expect(rows.first { $0.0 == nil }?.1 == 1)
  }

  @Test func `unsaved changes count unless the request says otherwise`() throws {
    try fill(isSaved: true)
    for note in try context.fetch(Note.self) where note.title == "b" { note.stars = 0 }
    var saved = notes
    saved.includesPendingChanges = false

    #expect(try context.value(of: .sum(\.stars), from: notes) == 9)
    #expect(try context.value(of: .sum(\.stars), from: saved) == 15)
  }
}
