import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@Suite struct ConcurrencyTests {
  @Test(arguments: [
    (MergePolicy.storeWins, "theirs", Int16(1), 2.0), (.objectWins, "mine", 1, 2.0),
    (.rollback, "theirs", 0, 2.0),
  ]) func `a merge policy settles what two contexts changed at once`(
    policy: MergePolicy, title: String, stars: Int16, weight: Double
  ) throws {
    let fixture = try TemporaryStore()
    let first = try fixture.store.newContext()
    let theirs = try first.insert(Note.self) { $0.title = "old" }
    try first.save()
    let second = try fixture.store.newContext()
    second.mergesChangesAutomatically = false
    second.mergePolicy = policy
    let mine = try #require(try second.fetch(Note.self).first)
    mine.title = "mine"
    mine.stars = 1
    theirs.title = "theirs"
    theirs.weight = 2
    try first.save()

    try second.save()

    let read = try #require(try fixture.store.newContext().fetch(Note.self).first)
    #expect(read.title == title && read.stars == stars && read.weight == weight)
    #expect(mine.title == title && mine.stars == stars && mine.weight == weight)
    #expect(!second.hasChanges)
    try fixture.check()
  }

  @Test func `a deletion against a change follows the policy`() throws {
    for (policy, remains) in [(MergePolicy.storeWins, 1), (.objectWins, 0), (.rollback, 1)] {
      let fixture = try TemporaryStore()
      let first = try fixture.store.newContext()
      let theirs = try first.insert(Note.self) { $0.title = "old" }
      try first.save()
      let second = try fixture.store.newContext()
      second.mergesChangesAutomatically = false
      second.mergePolicy = policy
      second.delete(try #require(try second.fetch(Note.self).first))
      theirs.title = "theirs"
      try first.save()

      try second.save()

      #expect(try fixture.store.newContext().count(FetchRequest<Note>()) == remains)
    }
  }

  @Test func `many background contexts write at once and nothing is lost`() async throws {
    let fixture = try TemporaryStore()
    let store = fixture.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<10 {
            try await store.performBackground { context in
              try context.insert(Note.self) { $0.title = "\(writer)-\(number)" }
              try context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let titles = try store.newContext().fetch(Note.self).map(\.title)
    #expect(Set(titles).count == 40 && titles.count == 40)
    try fixture.check()
  }

  @Test func `a commit is told to whoever listens`() async throws {
    let fixture = try TemporaryStore()
    let changes = fixture.store.changes
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self)
    try context.save()
    let identifier = note.objectID

    var iterator = changes.makeAsyncIterator()
    let heard = await iterator.next()

    #expect(heard == ObjectChanges(inserted: [identifier]))
  }

  @Test func `a store that is opened for reading is not changed by a byte`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    try context.insert(Note.self) { $0.title = "kept" }
    try context.save()
    try context.connection.execute(script: "PRAGMA wal_checkpoint(TRUNCATE)")
    let copy = fixture.folder.appending(path: "copy of it.sqlite")
    try FileManager.default.copyItem(atPath: fixture.path, toPath: copy.path(percentEncoded: false))
    let before = try Data(contentsOf: copy)

    let store = try PersistentStore(model: fixture.store.model, url: copy, options: .init(access: .readOnly))
    let reader = try store.newContext()
    let note = try #require(try reader.fetch(Note.self).first)
    #expect(note.title == "kept")
    note.title = "changed"
    #expect(throws: StoreError.self) { try reader.save() }

    #expect(try Data(contentsOf: copy) == before)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: fixture.folder.path(percentEncoded: false))
    #expect(files.filter { $0.hasPrefix("copy") } == ["copy of it.sqlite"])
  }
}

@Suite struct CancellationTests {
  @Test func `a long fetch in the background ends when its task is cancelled`() async throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    for number in 0..<2_000 { try context.insert(Note.self).title = "Note \(number)" }
    try context.save()
    let store = fixture.store

    let task = Task {
      try await store.performBackground { context in
        withUnsafeCurrentTask { $0?.cancel() }
        while true { _ = try context.fetch(FetchRequest<Note>().sorted(by: \.title)) }
      }
    }

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try context.count(FetchRequest<Note>()) == 2_000)
    try fixture.check()
  }

  @Test func `a save in the background that is cancelled writes nothing`() async throws {
    let fixture = try TemporaryStore()
    let store = fixture.store

    let task = Task {
      try await store.performBackground { context in
        for number in 0..<2_000 { try context.insert(Note.self).title = "Note \(number)" }
        withUnsafeCurrentTask { $0?.cancel() }
        try context.save()
      }
    }

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try store.newContext().count(FetchRequest<Note>()) == 0)
    try fixture.check()
  }
}
