import Foundation
import ObjectStore
import Testing

/// Follows live results as a list on a screen does: by nothing but the changes.
private final class Screen {
  let results: LiveResults<Note>
  private(set) var shown: [[Note]]
  private(set) var changes: [LiveChanges] = []
  private(set) var failures: [String] = []

  init(_ results: LiveResults<Note>) {
    self.results = results
    shown = results.sections.map(\.objects)
    results.onChange = { [weak self] in self?.follow($0) }
  }

  private func follow(_ changes: LiveChanges) {
    self.changes.append(changes)
    if changes.isEmpty { failures.append("an empty change") }
    let new = results.sections.map(\.objects)
    func object(_ position: LiveChanges.Position) -> Note { new[position.section][position.row] }
    for move in changes.moved + changes.updated
    where shown[move.from.section][move.from.row] !== object(move.to) {
      failures.append("\(move) is of two objects")
    }
    let gone = changes.deleted.map(\.position) + changes.moved.map(\.from)
    for position in gone.sorted().reversed() { shown[position.section].remove(at: position.row) }
    for section in changes.deletedSections.reversed() {
      if !shown[section].isEmpty { failures.append("a section goes that is not empty") }
      shown.remove(at: section)
    }
    for section in changes.insertedSections { shown.insert([], at: section) }
    let come = changes.inserted.map(\.position) + changes.moved.map(\.to)
    for position in come.sorted() {
      shown[position.section].insert(object(position), at: position.row)
    }
  }
}

@Suite struct LiveResultsTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext

  init() throws {
    fixture = try TemporaryStore()
    context = try fixture.store.newContext()
  }

  @Test func `rows come, go, move and change with the context`() throws {
    let home = try context.insert(Folder.self) { $0.name = "Home" }
    let work = try context.insert(Folder.self) { $0.name = "Work" }
    var notes: [Note] = []
    for (index, title) in ["a", "b", "c"].enumerated() {
      notes.append(
        try context.insert(Note.self) {
          $0.title = title
          $0.folder = index < 2 ? home : work
        })
    }
    try context.save()
    let results = try context.liveResults(
      for: FetchRequest<Note>().sorted(by: \.title), sectionedBy: \.folder?.name)
    let screen = Screen(results)
    #expect(results.sections.map(\.name) == ["Home", "Work"])

    notes[0].stars = 5
    try context.processPendingChanges()
    let updated = try #require(screen.changes.last)
    #expect(updated.updated.map(\.from) == [.init(section: 0, row: 0)] && updated.moved.isEmpty)

    notes[0].title = "z"
    try context.processPendingChanges()
    #expect(screen.changes.last?.moved.map(\.to) == [.init(section: 0, row: 1)])

    notes[2].folder = home
    try context.save()
    #expect(screen.changes.last?.deletedSections == [1])
    #expect(results.objects.map(\.title) == ["b", "c", "z"])

    context.delete(notes[1])
    try context.insert(Note.self) { $0.title = "new" }
    try context.processPendingChanges()
    #expect(screen.changes.last?.insertedSections == [0])
    #expect(screen.changes.last?.deleted.map(\.position) == [.init(section: 0, row: 0)])
    context.rollback()

    #expect(results.objects.map(\.title) == ["b", "c", "z"])
    #expect(results[.init(section: 0, row: 1)] === notes[2] && results.position(of: notes[2])?.row == 1)
    #expect(screen.shown == results.sections.map(\.objects) && screen.failures.isEmpty)
  }

  @Test func `what others save arrives as changes, one after another`() async throws {
    let results = try context.liveResults(for: FetchRequest<Note>().sorted(by: \.title))
    #expect(results.sectionCount == 1 && results.count == 0)
    let changes = results.changes
    let other = try fixture.store.newContext()
    try other.insert(Note.self) { $0.title = "b" }
    try other.save()
    context.mergePendingChanges()
    try other.insertRows(Note.self, from: ["a"]) { row, title in row[\.title] = title }
    context.mergePendingChanges()

    var iterator = changes.makeAsyncIterator()
    let first = await iterator.next()
    let second = await iterator.next()

    #expect(first?.inserted.count == 1)
    #expect(second?.inserted.map(\.position) == [.init(section: 0, row: 0)])
    #expect(results.objects.map(\.title) == ["a", "b"])
  }

  @Test(arguments: [true, false]) @MainActor
  func `a context can follow others without being asked, whether they save before it listens or after`(
    savesFirst: Bool
  ) async throws {
    let store = fixture.store
    let context = try store.newContext()
    let results = try context.liveResults(for: FetchRequest<Note>())
    let changes = results.changes
    let save: () async throws -> Void = {
      try await store.performBackground { context in
        try context.insert(Note.self) { $0.title = "from afar" }
        try context.save()
      }
    }
    if savesFirst { try await save() }
    let following = Task { await context.mergeContinuously() }
    defer { following.cancel() }
    if !savesFirst { try await save() }

    for await change in changes {
      #expect(change.inserted.count == 1)
      break
    }

    #expect(results.objects.map(\.title) == ["from afar"])
  }

  // MARK: - Against fetching again

  private static let requests: [(FetchRequest<Note>, FetchExpression<Note, String?>?)] = [
    (FetchRequest<Note>().sorted(by: \.title), nil),
    (FetchRequest<Note>().where(\.stars > 1).sorted(by: \.title), .property(\.folder?.name)),
    (FetchRequest<Note>().sorted(by: \.stars, .descending).sorted(by: \.title).limit(5), nil),
    (FetchRequest<Note>().sorted(by: \.stars), .uppercased(\.title)),
    (FetchRequest<Note>().where(.any(\.$tags, where: \.name == "t1")).sorted(by: .count(\.$tags)), nil),
    (FetchRequest<Note>().where(\.folder?.name != "f0"), nil),
    (FetchRequest<Note>().sorted(by: .naturalOrder(\.title)).limit(7), nil),
  ]

  private func edit(_ context: ManagedObjectContext, using random: inout SeededGenerator) throws {
    let notes = try context.fetch(FetchRequest<Note>().sorted(by: \.title).sorted(by: \.stars))
    let folders = try context.fetch(FetchRequest<Folder>().sorted(by: \.name))
    let tags = try context.fetch(FetchRequest<Tag>().sorted(by: \.name))
    let note = notes.randomElement(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2:
      try context.insert(Note.self) {
        $0.title = String("abc".randomElement(using: &random) ?? "a")
        $0.stars = Int16.random(in: 0..<4, using: &random)
        $0.folder = folders.randomElement(using: &random)
      }
    case 3, 4: note?.title = String("abc".randomElement(using: &random) ?? "a")
    case 5: note?.stars = Int16.random(in: 0..<4, using: &random)
    case 6, 7: note?.folder = folders.randomElement(using: &random)
    case 8: note.map { context.delete($0) }
    case 9: folders.randomElement(using: &random)?.name = "f\(Int.random(in: 0..<3, using: &random))"
    default:
      guard let note, let tag = tags.randomElement(using: &random) else { return }
      if note.tags.contains(tag) { note.$tags.remove(tag) } else { note.$tags.insert(tag) }
    }
  }

  @Test(arguments: 0..<60) func `changes lead from every list to the next`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &+ 30_000)
    let other = try fixture.store.newContext()
    context.mergePolicy = .objectWins
    other.mergePolicy = .objectWins
    for index in 0..<3 { try context.insert(Folder.self) { $0.name = "f\(index)" } }
    for index in 0..<2 { try context.insert(Tag.self) { $0.name = "t\(index)" } }
    try context.save()
    let (request, section) = Self.requests[seed % Self.requests.count]
    let results =
      if let section {
        try context.liveResults(for: request, sectionedBy: section)
      } else {
        try context.liveResults(for: request)
      }
    let screen = Screen(results)

    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(context, using: &random) }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try context.save()
      case 1: context.rollback()
      case 2:
        try context.save()
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(other, using: &random) }
        try other.save()
        context.mergePendingChanges()
      case 3:
        try context.save()
        try context.updateRows(FetchRequest<Note>().where(\.stars == 2), .set(\.stars, to: 3))
      default: break
      }
      try context.processPendingChanges()

      let expected = try context.fetch(results.request)
      #expect(results.objects.count == expected.count)
      #expect(screen.shown == results.sections.map(\.objects))
      #expect(screen.failures.isEmpty)
      #expect(Set(results.objects) == Set(expected))
    }
    try fixture.check()
  }

  @Test func `what is not edited is not reported`() throws {
    let note = try context.insert(Note.self) { $0.title = "a" }
    let results = try context.liveResults(for: FetchRequest<Note>().sorted(by: \.title))
    let screen = Screen(results)

    try context.processPendingChanges()
    try context.save()
    #expect(screen.changes.isEmpty)
    note.stars = 1
    try context.save()
    try context.processPendingChanges()
    #expect(screen.changes.map(\.updated.count) == [1])
  }
}
