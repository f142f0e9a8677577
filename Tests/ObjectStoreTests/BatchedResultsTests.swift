import Foundation
import ObjectStore
import Testing

/// Results of which one batch is in memory at a time.
@Suite struct BatchedResultsTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext
  private let request = FetchRequest<Note>().where(\.stars < 90).sorted(by: \.title)

  init() throws {
    fixture = try TemporaryStore()
    context = try fixture.store.newContext()
    for number in 10..<40 { try context.insert(Note.self) { $0.title = "\(number)" } }
    try context.save()
  }

  /// One of everything that a fetch sees of changes that are not saved.
  private func change(_ context: ManagedObjectContext) throws {
    let notes = try context.fetch(FetchRequest<Note>().sorted(by: \.title))
    context.delete(notes[3])
    notes[7].title = "99"
    notes[8].stars = 90
    for title in ["00", "25a", "zz"] { try context.insert(Note.self) { $0.title = title } }
  }

  @Test(arguments: [1, 7, 1_000]) func `they are what a fetch finds, with what is not saved`(size: Int) throws
  {
    try change(context)
    let expected = try context.fetch(request)

    let found = try context.fetchBatched(request, size: size)

    #expect(found.map(\.title) == expected.map(\.title))
    #expect(zip(found, expected).allSatisfy { $0 === $1 })
    try context.save()
    #expect(found.map(\.title) == expected.map(\.title))
  }

  @Test func `what is not saved does not count where the request says so`() throws {
    try change(context)
    var request = request
    request.includesPendingChanges = false
    #expect(
      try context.fetchBatched(request, size: 7).map(\.objectID) == context.fetch(request).map(\.objectID))
  }

  @Test func `in a child context they are what the child sees`() throws {
    try change(context)
    let child = context.makeChild()
    try change(child)
    let expected = try child.fetch(request).map(\.title)
    #expect(try child.fetchBatched(request, size: 7).map(\.title) == expected)
  }
}
