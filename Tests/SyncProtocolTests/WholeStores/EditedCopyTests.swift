import BackendConformance
import ByteFixtures
import ChangeTracking
import Foundation
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import SyncProtocol

/// Whole stores of a member that were edited at random with SQLite's own means, what they say in whichever table and column.
@Suite struct EditedCopyTests {
  private static let seeds = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? 40 : 2_000

  @Test(arguments: 0..<seeds)
  func
    `an edited copy is refused by its name, or who begins with it lacks nothing, and the others lose nothing`(
      _ seed: Int
    ) async throws
  {
    var random = SeededGenerator(seed: UInt64(seed))
    let workplace = try Workplace()
    let folder = try TemporaryFolder()
    let remote = MemoryBackend()
    let (a, b, c) = workplace.devices()
    for device in [a, b] { try await device.register(remote) }
    for number in 1...3 {
      try a.write("note \(number)", "by a")
      try b.write("other \(number)", "by b")
      for device in [a, b, a] { try await device.sync(remote) }
    }
    try a.delete("note 1")
    for device in [a, b] { try await device.sync(remote) }
    let notes = try a.notes
    var edits: [String] = []
    let name = try await HostileUpload(remote: remote, device: b, folder: folder)() { copy in
      var edit = try RandomEdit(copy, &random)
      edits = try edit.run(times: .random(in: 1...2, using: &random))
    }

    var refusal: SyncError?
    var isThrough = false
    do {
      let begun = try await c.begin(remote)
      let isRefused = begun.findings.contains {
        if case .wholeStoreRefused(name, _) = $0 { true } else { false }
      }
      #expect(isRefused == (begun.store == nil), "\(edits)")
      try c.write("by the newcomer", "text")
      // What honest devices do later must reach everybody as well.
      try a.write("note 2", "changed by a")
      for _ in 0..<3 { for device in [c, a, b] { try await device.sync(remote) } }
      try c.write("note 3", "changed by the newcomer")
      try a.delete("other 1")
      for _ in 0..<3 { for device in [c, a, b] { try await device.sync(remote) } }
      isThrough = true
    } catch let error as SyncError {
      refusal = error
    }
    for _ in 0..<2 { for device in [a, b] { try await device.sync(remote) } }

    let lost = try notes.filter { note in
      !["note 2", "note 3", "other 1"].contains { note.hasPrefix("\($0):") }
    }.filter { !(try a.notes.contains($0)) }
    #expect(lost.isEmpty, "\(edits)")
    if isThrough {
      #expect(try a.notes.contains("note 3: changed by the newcomer") && !a.shows("other 1"), "\(edits)")
    }
    #expect(try a.notes == b.notes, "\(edits)")
    if let refusal {
      #expect(refusal.code == .store && refusal.subject != "", "\(refusal), after \(edits)")
    } else if !(edits.contains { $0.contains("note") } && edits.contains { $0.contains("TICDS_OBJECT") }) {
      // Who takes away rows and their records alike says that there never were any.
      #expect(try c.notes == a.notes, "\(edits)")
    }
  }
}

/// Statements that change a copy of a store somehow.
private struct RandomEdit {
  private let copy: Connection
  private var random: SeededGenerator
  private let columns: [(table: String, column: String)]

  init(_ copy: Connection, _ random: inout SeededGenerator) throws {
    self.copy = copy
    self.random = SeededGenerator(seed: random.next())
    // What a note says may be anything, as in a set; and what nobody has said yet is believed.
    let rows = try copy.prepare(
      """
      SELECT t.name, c.name FROM sqlite_master t, pragma_table_xinfo(t.name) c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name <> 'TICDS_LOG'
      AND (t.name <> 'note' OR c.name NOT IN ('text', 'place')) ORDER BY 1, 2
      """)
    var columns: [(String, String)] = []
    while try rows.step() { columns.append((rows.text(0), rows.text(1))) }
    self.columns = columns
  }

  private static let values = [
    "NULL", "0", "1", "2", "3", "8", "99", "-1", "-5", "1 << 40", "1 << 57", "4611686018492923874",
    "9223372036854775807", "1.5", "''", "'x'", "x''", "x'00'",
    "x'FF'",
    "x'FFFFFFFFFFFFFFFFFF010101'", "x'010101'", "zeroblob(16)", "zeroblob(100000)",
  ]

  /// - Returns: the statements that had an effect.
  mutating func run(times: Int) throws -> [String] {
    var effective: [String] = []
    for _ in 0..<100 where effective.count < times {
      guard let (table, column) = columns.randomElement(using: &random) else { break }
      if Int.random(in: 0..<8, using: &random) == 0, let edit = try misleadIndex() {
        effective.append(edit)
        continue
      }
      let statement = statement(table, column)
      // Constraints refuse some.
      guard (try? copy.execute(script: statement)) != nil, try copy.first("SELECT changes()") != .integer(0)
      else { continue }
      effective.append(statement)
    }
    return effective
  }

  /// Lets an index say of two rows what does not stand in them, as no statement does: it is taken out of the schema while they are changed.
  private mutating func misleadIndex() throws -> String? {
    let indexes = try copy.prepare(
      "SELECT name, tbl_name, rootpage, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    )
    var all: [(name: String, table: String, page: Int64, sql: String)] = []
    while try indexes.step() {
      all.append((indexes.text(0), indexes.text(1), indexes.int64(2), indexes.text(3)))
    }
    indexes.reset()
    guard let index = all.randomElement(using: &random),
      case .text(let column)? = try copy.first(
        "SELECT name FROM pragma_index_info(?) WHERE seqno = 0", .text(index.name))
    else { return nil }
    let swap = """
      CREATE TEMP TABLE pair AS SELECT min(rowid) AS low, max(rowid) AS high,
        (SELECT "\(column)" FROM \(index.table) ORDER BY rowid LIMIT 1) AS first,
        (SELECT "\(column)" FROM \(index.table) ORDER BY rowid DESC LIMIT 1) AS last FROM \(index.table);
      UPDATE \(index.table) SET "\(column)" = 'neither' WHERE rowid = (SELECT low FROM pair);
      UPDATE \(index.table) SET "\(column)" = (SELECT first FROM pair) WHERE rowid = (SELECT high FROM pair);
      UPDATE \(index.table) SET "\(column)" = (SELECT last FROM pair) WHERE rowid = (SELECT low FROM pair);
      DROP TABLE pair
      """
    // Tables without row numbers are indexes themselves.
    guard (try? copy.execute(script: "SELECT rowid FROM \(index.table)")) != nil else { return nil }
    // Of a swap before and after, the index alone keeps anything.
    let isSwappedBack = Bool.random(using: &random)
    if isSwappedBack { try copy.execute(script: swap) }
    try copy.execute(
      script: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(index.name)'")
    try copy.execute(script: "PRAGMA writable_schema = RESET")
    try copy.execute(script: swap)
    try copy.execute(script: "PRAGMA writable_schema = ON")
    try copy.run(
      "INSERT INTO sqlite_schema VALUES ('index', ?, ?, ?, ?)", .text(index.name), .text(index.table),
      .integer(index.page), .text(index.sql))
    try copy.execute(script: "PRAGMA writable_schema = RESET")
    return "\(index.name) on \(index.table).\(column), \(isSwappedBack)"
  }

  private mutating func statement(_ table: String, _ column: String) -> String {
    let share = Int.random(in: 0..<3, using: &random)
    let place =
      [
        "", " WHERE \"\(column)\" = (SELECT min(\"\(column)\") FROM \(table))",
        " WHERE \"\(column)\" = (SELECT max(\"\(column)\") FROM \(table))",
      ][share]
    let value = Self.values.randomElement(using: &random) ?? "NULL"
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return "DELETE FROM \(table)\(place)"
    case 1...2: return "UPDATE \(table) SET \"\(column)\" = \"\(column)\" + \(value)\(place)"
    default: return "UPDATE \(table) SET \"\(column)\" = \(value)\(place)"
    }
  }
}
