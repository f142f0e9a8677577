import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// What is kept of lists between the slices of a merge.
@Suite struct ListEndsTests {
  private let folder: TemporaryFolder
  private let connection: Connection
  private let ends = ListEnds()
  private let list = MemberListID(
    declaration: EntityNumber(rawValue: 1), bit: PropertyBit(rawValue: 2), isInverse: false,
    owner: RecordID(rawValue: 3))
  private let places = (PlaceKey(bytes: [1]), PlaceKey(bytes: [2]))

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("a.sqlite"))
    try connection.execute(script: "PRAGMA journal_mode = WAL; CREATE TABLE T (a)")
    try slice { ends.note(places.0, in: list, isLast: true) }
  }

  private func slice(_ body: () throws -> Void) throws {
    try connection.transaction {
      try connection.run("INSERT INTO T VALUES (1)")
      ends.begin(on: connection)
      try body()
      ends.end(on: connection)
    }
  }

  @Test func `a list ends where the last slice has left it`() throws {
    try slice {
      #expect(ends.isEnd(of: list, places.1))
      #expect(!ends.isEnd(of: list, places.0))
    }
  }

  @Test func `a list has no known end once somebody else has saved`() throws {
    let other = try Connection(path: folder.file("a.sqlite"))
    try other.run("INSERT INTO T VALUES (2)")
    try slice { #expect(!ends.isEnd(of: list, places.1)) }
  }

  @Test func `what was put before other members does not bring the end nearer`() throws {
    try slice {
      ends.note(places.1, in: list, isLast: true)
      ends.note(places.0, in: list, isLast: true)
      #expect(!ends.isEnd(of: list, places.1))
    }
  }
}
