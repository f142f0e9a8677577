import Foundation
import ObjectStore
import TICDSSQLite
import Synchronization
import Testing

@testable import ObjectStore

/// A migration that does not come to its end leaves the store of the old version, whatever stopped it.
@Suite struct MigrationInterruptionTests {
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel

  init() throws {
    let note = EntityDeclaration(
      "Note", attributes: [.init("title", .string, isIndexed: true), .init("size", .integer16)],
      relationships: [.toMany("tags", to: "Tag", inverse: "notes")])
    let tag = EntityDeclaration("Tag", relationships: [.toMany("notes", to: "Note", inverse: "tags")])
    old = try ManagedObjectModel(entities: [note, tag])
    var longer = note
    longer.properties[1] = .attribute(.init("size", .integer64))
    longer.properties.append(.attribute(.init("mood", .string, defaultValue: .string("fine"))))
    new = try ManagedObjectModel(entities: [EntityDeclaration("Album"), longer, tag])
  }

  private func filled() throws -> TemporaryStore {
    let fixture = try TemporaryStore(old)
    var random = SeededGenerator(seed: 1)
    try populate(fixture.store, count: 20, using: &random)
    return fixture
  }

  private func isOld(_ fixture: TemporaryStore, _ graph: PlainGraph) throws {
    let store = try PersistentStore(model: old, path: fixture.path, options: .init(access: .readWrite))
    #expect(try PlainGraph(store) == graph)
  }

  @Test func `interrupted after any number of operations, the store is as before`() throws {
    let fixture = try filled()
    let graph = try PlainGraph(fixture.store)
    let migration = StoreMigration(migration: .automatic, model: new, path: fixture.path)
    var limit = 1
    var stops = 0
    while true {
      let connection = try fixture.store.newConnection()
      let left = Mutex(limit)
      do {
        // Asked before every operation, so that each statement has its turn to fail.
        try connection.interrupted(
          every: 1,
          when: {
            left.withLock { left in
              left -= 1
              return left < 0
            }
          }
        ) { try migration.run(on: connection) }
        break
      } catch let error as StoreError {
        guard case .cancelled = error.reason else { throw error }
        stops += 1
        if stops % 16 == 1 { try isOld(fixture, graph) }
      }
      limit += 1 + limit / 24
    }
    #expect(stops > 50)
    let store = try PersistentStore(model: new, path: fixture.path, options: .init(access: .readWrite))
    #expect(try PlainGraph(store).objects.count == graph.objects.count)
    try fixture.check()
  }

  @Test func `a full disk leaves the store as before`() throws {
    let fixture = try filled()
    let graph = try PlainGraph(fixture.store)
    let migration = StoreMigration(migration: .automatic, model: new, path: fixture.path)
    let connection = try fixture.store.newConnection()
    guard case .integer(let pages)? = try connection.first("PRAGMA page_count") else {
      return #expect(Bool(false))
    }
    for extra in 0..<4 {
      connection.clearStatementCache()
      try connection.execute(script: "PRAGMA max_page_count = \(pages + Int64(extra))")

      let error = #expect(throws: SQLiteError.self) { try migration.run(on: connection) }

      #expect(error?.code == .full)
      try isOld(fixture, graph)
    }
  }

  @Test func `cancelling the task stops a migration between any two entities`() async throws {
    let fixture = try filled()
    let graph = try PlainGraph(fixture.store)
    let (new, path) = (new, fixture.path)
    for stop in 0..<3 {
      let reports = Mutex(0)
      let migration = Migration.automatic.reporting { progress in
        let count = reports.withLock { reports in
          reports += 1
          return reports
        }
        if count == stop + 1 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      let error = await Task {
        () -> StoreError? in
        do throws(StoreError) {
          _ = try PersistentStore(
            model: new, path: path, options: .init(access: .readWrite, migration: migration))
          return nil
        } catch {
          return error
        }
      }.value
      guard case .cancelled? = error?.reason else {
        return #expect(Bool(false), "\(stop): \(error as Any)")
      }
      try isOld(fixture, graph)
    }
  }

  @Test func `progress counts every object once`() throws {
    let fixture = try filled()
    let reports = Mutex<[MigrationProgress]>([])

    _ = try PersistentStore(
      model: new, path: fixture.path,
      options: .init(
        access: .readWrite,
        migration: .automatic.reporting { report in reports.withLock { $0.append(report) } }))

    let last = reports.withLock { $0.last }
    #expect(last == MigrationProgress(step: 1, stepCount: 1, objects: 40, objectCount: 40))
  }

  @Test func `a store that another process migrates in the meantime is opened as it is`() throws {
    let fixture = try filled()
    let migration = StoreMigration(migration: .automatic, model: new, path: fixture.path)
    try migration.run(on: fixture.store.newConnection())

    try migration.run(on: fixture.store.newConnection())

    try fixture.checkLayout(of: new)
  }
}
