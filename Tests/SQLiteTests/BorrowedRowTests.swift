import TICDSSQLite
import Testing

@Suite struct BorrowedRowTests {
  private final class Listing: RowFunction {
    var rows: [String] = []

    override func receive(_ row: BorrowedRow) { rows.append(BorrowedRowTests.describe(row)) }
  }

  fileprivate static func describe(_ row: BorrowedRow) -> String {
    (0..<row.count).map { column in
      let value = row[column]
      let text = value.text.map { String(decoding: $0, as: UTF8.self) } ?? "none"
      return "\(value.isNull) \(value.int64) \(value.double) \(text) \(value.blob.map(Array.init) ?? [255])"
    }.joined(separator: "; ")
  }

  private static let values = "(NULL, 0, ''), (1, -2.5, 'text'), (x'', x'00', '3 and more')"

  @Test func `a function gets the rows that a statement gives`() throws {
    let connection = try Connection(path: ":memory:")
    let listing = Listing()
    try connection.addRowFunction("listing", listing)
    let direct = try connection.prepare("SELECT * FROM (VALUES \(Self.values))")
    var rows: [String] = []
    while try direct.step() { rows.append(direct.withRow(Self.describe)) }
    let called = try connection.prepare(
      "SELECT listing(column1, column2, column3) FROM (VALUES \(Self.values))")
    while try called.step() { #expect(called.isNull(0)) }
    #expect(listing.rows == rows)
    #expect(rows.count == 3)
  }
}
