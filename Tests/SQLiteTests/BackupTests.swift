import Foundation
import Synchronization
import TemporaryFolders
import Testing

@testable import TICDSSQLite

/// A database file in a folder of its own, which goes when the test ends.
final class TemporaryDatabase {
  let folder: TemporaryFolder
  var path: String { folder.file("database") }

  init(_ script: String = "") throws {
    folder = try TemporaryFolder()
    try Connection(path: path).execute(script: script)
  }

  func connect(_ access: Connection.Options.Access = .readWrite, busyTimeout: Int32 = 0) throws -> Connection
  {
    try Connection(path: path, options: .init(access: access, busyTimeout: busyTimeout))
  }

  static let rows = """
    PRAGMA journal_mode = WAL; CREATE TABLE t (v);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO t SELECT hex(randomblob(100)) FROM n;
    """
}

@Suite struct BackupTests {
  @Test func `a copy has everything in one file, and tells how far it is`() throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let copy = database.folder.file("copy")
    let source = try database.connect()
    var steps: [BackupProgress] = []

    try source.backup(to: copy, pagesPerStep: 10) { steps.append($0) }

    #expect(steps.count > 10)
    #expect(steps.last?.remaining == 0)
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.remaining > $1.remaining })
    let target = try Connection(path: copy, options: .init(access: .immutable))
    let digest = "SELECT count(*) || max(v) || min(v) FROM t"
    #expect(try target.first(digest) == source.first(digest))
    #expect(try target.first("PRAGMA integrity_check") == .text("ok"))
    #expect(!FileManager.default.fileExists(atPath: copy + "-wal"))
  }

  @Test func `what others write meanwhile is copied too`() throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let copy = database.folder.file("copy")
    let source = try database.connect()
    let writer = try database.connect(busyTimeout: 1_000)
    var steps = 0

    try source.backup(to: copy, pagesPerStep: 50) { _ in
      steps += 1
      if steps == 2 { try writer.run("INSERT INTO t VALUES ('late')") }
    }

    let target = try Connection(path: copy, options: .init(access: .immutable))
    #expect(try target.first("SELECT count(*) FROM t WHERE v = 'late'") == .integer(1))
    #expect(try target.first("PRAGMA integrity_check") == .text("ok"))
  }

  @Test func `what the caller throws ends the copy, and the source is usable afterwards`() throws {
    struct Enough: Error {}
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let source = try database.connect()

    #expect(throws: Enough.self) {
      try source.backup(to: database.folder.file("copy"), pagesPerStep: 1) { _ in
        throw Enough()
      }
    }

    try source.run("INSERT INTO t VALUES (1)")
    #expect(try source.first("SELECT count(*) FROM t") == .integer(5_001))
  }

  @Test func `cancelling the task ends the copy`() async throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let path = database.path
    let steps = await Task {
      var steps = 0
      do {
        try Connection(path: path).backup(to: path + "-copy", pagesPerStep: 1) { _ in
          steps += 1
          if steps == 3 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        return -1
      } catch is CancellationError {
        return steps
      } catch {
        return -2
      }
    }.value
    #expect(steps == 3)
  }
}

@Suite struct InterruptionTests {
  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

  @Test func `cancelling the task ends a statement that would never end`() async throws {
    let task = Task {
      () -> SQLiteError? in
      do {
        let connection = try Connection(path: ":memory:")
        _ = try connection.interruptedByCancellation { try connection.first(Self.endless) }
        return nil
      } catch {
        return error as? SQLiteError
      }
    }
    task.cancel()
    let error = await task.value
    #expect(error?.code == .interrupted)
    #expect(error?.meaning == "The operation was cancelled.")
  }

  @Test func `a transaction that is interrupted is undone, and the connection is usable`() throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let connection = try database.connect()
    let asked = Mutex(0)

    let error = #expect(throws: SQLiteError.self) {
      try connection.interrupted(
        every: 100,
        when: {
          asked.withLock { asked in
            asked += 1
            return asked > 20
          }
        }
      ) {
        try connection.transaction {
          try connection.run("DELETE FROM t WHERE rowid < 3")
          _ = try connection.first(Self.endless)
        }
      }
    }

    #expect(error?.code == .interrupted)
    #expect(!connection.isInTransaction)
    #expect(try connection.first("SELECT count(*) FROM t") == .integer(5_000))
  }

  @Test func `inside two conditions either ends a statement`() throws {
    let connection = try Connection(path: ":memory:")
    for isOuter in [true, false] {
      #expect(throws: SQLiteError.self) {
        try connection.interrupted(when: { isOuter }) {
          try connection.interrupted(when: { !isOuter }) { _ = try connection.first(Self.endless) }
        }
      }
    }
    #expect(try connection.first("SELECT 1") == .integer(1))
  }
}
