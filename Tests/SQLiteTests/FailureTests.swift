import CTICDSSQLite
import Foundation
import Testing

@testable import TICDSSQLite

/// Trouble with files and other processes: a clear error, nothing lost, and the database usable afterwards.
@Suite struct FailureTests {
  @Test func `a locked database says so, and takes the change when the lock is gone`() throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let (first, second) = (try database.connect(), try database.connect())

    let error = try first.transaction {
      #expect(throws: SQLiteError.self) { try second.transaction { try second.run("DELETE FROM t") } }
    }

    #expect(error?.code == .busy)
    #expect(error?.recovery.contains("try again") == true)
    try second.transaction { try second.run("DELETE FROM t WHERE rowid = 1") }
    #expect(try first.first("SELECT count(*) FROM t") == .integer(4_999))
  }

  @Test func `a statement with a mark for each of very many values is shown in part`() throws {
    let connection = try TemporaryDatabase(TemporaryDatabase.rows).connect()
    let marks = Array(repeating: "?", count: 300_000).joined(separator: ",")

    let error = #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1 IN (\(marks))") }

    #expect(error?.description.contains("SELECT 1 IN (") == true)
    #expect(error?.description.utf8.count ?? 0 < 3_000)
  }

  @Test func `a reader that wants to write what has changed meanwhile is told to begin again`() throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let (reader, writer) = (try database.connect(), try database.connect())

    let error = #expect(throws: SQLiteError.self) {
      try reader.transaction(.deferred) {
        _ = try reader.first("SELECT count(*) FROM t")
        try writer.run("DELETE FROM t WHERE rowid = 1")
        try reader.run("DELETE FROM t WHERE rowid = 2")
      }
    }

    #expect(error?.meaning == "The database was changed after this transaction had begun to read.")
    #expect(error?.recovery.hasPrefix("Begin again") == true)
    try reader.transaction { try reader.run("DELETE FROM t WHERE rowid = 2") }
    #expect(try writer.first("SELECT count(*) FROM t") == .integer(4_998))
  }

  @Test func `without room a change is undone as a whole`() throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let connection = try database.connect()
    guard case .integer(let pages)? = try connection.first("PRAGMA page_count") else {
      return #expect(Bool(false))
    }
    try connection.execute(script: "PRAGMA max_page_count = \(pages + 3)")

    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        for _ in 0..<1_000 { try connection.run("INSERT INTO t VALUES (hex(randomblob(200)))") }
      }
    }

    #expect(error?.code == .full)
    #expect(!connection.isInTransaction)
    try connection.execute(script: "PRAGMA max_page_count = \(pages * 10)")
    #expect(try connection.first("SELECT count(*) FROM t") == .integer(5_000))
    try connection.run("INSERT INTO t VALUES (1)")
    #expect(try connection.first("PRAGMA integrity_check") == .text("ok"))
  }

  @Test(arguments: [
    (SQLITE_IOERR | 19 << 8, ENOSPC, SQLiteError.Code.full), (SQLITE_IOERR | 3 << 8, EDQUOT, .full),
    (SQLITE_CANTOPEN, ENOSPC, .full), (SQLITE_IOERR, EFBIG, .full), (SQLITE_IOERR, EROFS, .readOnly),
    (SQLITE_IOERR, EACCES, .readOnly), (SQLITE_CANTOPEN, EACCES, .cannotOpen),
    (SQLITE_IOERR, EIO, .inputOutput),
    (SQLITE_IOERR, 0, .inputOutput), (SQLITE_CORRUPT, ENOSPC, .corrupt), (SQLITE_READONLY, ENOSPC, .readOnly),
  ])
  func `a failure to read or write is what the system says that it is`(
    _ code: Int32, _ number: Int32, _ expected: SQLiteError.Code
  ) {
    let error = SQLiteError(
      extendedCode: code, systemError: number, message: "disk I/O error", sql: nil, path: "/a")
    #expect(error.code == expected)
    #expect(error.extendedCode == code)
    let isSaid = error.systemError != 0
    #expect(error.message == "disk I/O error" + (isSaid ? ": \(String(cString: strerror(number)))" : ""))
    #expect(isSaid == ([SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff) && number != 0))
  }

  @Test func `a file that is no database is left alone`() throws {
    let database = try TemporaryDatabase()
    let text = Data("This is a letter, and no database at all.\n".utf8)
    try text.write(to: URL(filePath: database.path))

    let error = #expect(throws: SQLiteError.self) {
      try database.connect().first("SELECT * FROM sqlite_master")
    }

    #expect(error?.code == .notADatabase)
    #expect(error?.path == database.path)
    #expect(try Data(contentsOf: URL(filePath: database.path)) == text)
  }

  @Test func `a damaged page is reported, and undamaged tables can be read`() throws {
    let database = try TemporaryDatabase(
      "CREATE TABLE good (v); INSERT INTO good VALUES (1); CREATE TABLE bad (v);")
    let connection = try database.connect()
    guard
      case .integer(let root)? = try connection.first("SELECT rootpage FROM sqlite_master WHERE name = 'bad'"),
      case .integer(let size)? = try connection.first("PRAGMA page_size")
    else { return #expect(Bool(false)) }
    var bytes = try Data(contentsOf: URL(filePath: database.path))
    let start = Int((root - 1) * size)
    bytes.replaceSubrange(start..<start + Int(size), with: Data(repeating: 0xAA, count: Int(size)))
    try bytes.write(to: URL(filePath: database.path))

    let damaged = try database.connect()
    let error = #expect(throws: SQLiteError.self) { try damaged.first("SELECT * FROM bad") }

    #expect(error?.code == .corrupt)
    #expect(error?.recovery.contains("copy") == true)
    #expect(try damaged.first("SELECT v FROM good") == .integer(1))
  }

  @Test func `a database that is open for reading refuses changes`() throws {
    let database = try TemporaryDatabase("CREATE TABLE t (v);")

    let error = #expect(throws: SQLiteError.self) {
      try database.connect(.readOnly).run("INSERT INTO t VALUES (1)")
    }

    #expect(error?.code == .readOnly)
    #expect(error?.meaning == "The database cannot be written.")
  }

  @Test func `a folder is no database`() throws {
    let database = try TemporaryDatabase()

    let error = #expect(throws: SQLiteError.self) { try Connection(path: database.folder.path) }

    #expect(error?.code == .cannotOpen)
  }

  @Test func `a value that is there already is named by its column, not by itself`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(script: "CREATE TABLE t (v UNIQUE); INSERT INTO t VALUES ('secret');")

    let error = #expect(throws: SQLiteError.self) {
      try connection.run("INSERT INTO t VALUES (?)", .text("secret"))
    }

    #expect(error?.meaning == "A value that must be unique is there already.")
    #expect(error?.description.contains("t.v") == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test func `what follows a transaction happens once, after its end`() throws {
    struct Undone: Error {}
    let connection = try Connection(path: ":memory:")
    var events: [String] = []

    try connection.transaction {
      connection.afterTransaction { events.append("first \($0)") }
      try? connection.savepoint {
        connection.afterTransaction { events.append("second \($0)") }
        throw Undone()
      }
      events.append("body")
    }
    try? connection.transaction {
      connection.afterTransaction { events.append("third \($0)") }
      throw Undone()
    }
    connection.afterTransaction { events.append("fourth \($0)") }

    #expect(events == ["second false", "body", "first true", "third false", "fourth true"])
  }
}
