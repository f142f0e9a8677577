import Testing

@testable import TICDSSQLite

@Suite struct ConnectionTests {
  @Test func `a value of every storage class comes back as it was bound`() throws {
    let database = try Connection(path: ":memory:")
    try database.execute(script: "CREATE TABLE t (v)")
    let values: [SQLiteValue] = [
      .null, .integer(.min), .real(0.1), .text(""), .text("a\0ß🙂"), .blob([]), .blob([0, 255]),
    ]
    for value in values { try database.run("INSERT INTO t VALUES (?)", value) }

    let statement = try database.prepare("SELECT v FROM t ORDER BY rowid")
    var read: [SQLiteValue] = []
    while try statement.step() { read.append(statement.value(0)) }

    #expect(read == values)
  }

  @Test func `a transaction that throws leaves nothing behind`() throws {
    struct Refused: Error {}
    let database = try Connection(path: ":memory:")
    try database.execute(script: "CREATE TABLE t (v)")

    #expect(throws: Refused.self) {
      try database.transaction {
        try database.run("INSERT INTO t VALUES (1)")
        throw Refused()
      }
    }

    #expect(try database.first("SELECT count(*) FROM t") == .integer(0))
    #expect(!database.isInTransaction)
  }

  @Test func `a savepoint inside a transaction undoes only its own changes`() throws {
    struct Refused: Error {}
    let database = try Connection(path: ":memory:")
    try database.execute(script: "CREATE TABLE t (v)")

    try database.transaction {
      try database.run("INSERT INTO t VALUES (1)")
      #expect(throws: Refused.self) {
        try database.savepoint {
          try database.run("INSERT INTO t VALUES (2)")
          throw Refused()
        }
      }
    }

    #expect(try database.first("SELECT group_concat(v) FROM t") == .text("1"))
  }

  @Test func `a file that is no database is named in the error`() throws {
    let error = #expect(throws: SQLiteError.self) {
      try Connection(path: "/nonexistent/store.sqlite", options: .init(access: .readWrite))
    }
    #expect(error?.code == .cannotOpen)
    #expect(error?.path == "/nonexistent/store.sqlite")
  }
}
