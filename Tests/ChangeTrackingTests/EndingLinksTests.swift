import ByteFixtures
import Testing

@testable import ChangeTracking

@Suite struct EndingLinksTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `deletions, one after the other, take each link once, with the first that ends it`(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    func stamp(_ times: Range<UInt64>) -> Stamp {
      Stamp(
        time: LogicalTime(milliseconds: .random(in: times, using: &random)),
        author: AuthorID(bits: .random(in: 1...3, using: &random)))
    }
    let device = try PlainDevice("device")
    try device.replica.begin { transaction in
      let cells = transaction.cells
      for bits in 1...3 as ClosedRange<UInt64> {
        _ = try cells.authors.number(of: AuthorID(bits: bits), client: "")
      }
      // Few times, so that many links come at one.
      let latest = UInt64.random(in: 2...30, using: &random)
      var record = ObjectRecord(id: RecordID(rawValue: 1), syncID: "t", root: EntityNumber(rawValue: 1))
      var left: [RecordID: Stamp] = [:]
      for number in 1...UInt64.random(in: 1...60, using: &random) {
        let target = RecordID(rawValue: Int64(number))
        let cell = LinkTable.Cell(
          source: record.id, bit: PropertyBit(rawValue: 0), target: target, added: stamp(1..<latest))
        try cells.links.write(cell)
        left[target] = cell.added
      }
      record.deleted = stamp(1..<3)
      left = left.filter { $0.value > record.deleted }

      var links = EndingLinks(firstLimit: .random(in: 1...8, using: &random))
      for deletion in (0..<8).map({ _ in stamp(1..<latest + 2) }).sorted() where deletion > record.deleted {
        let taken = try links.take(of: record, through: deletion, from: cells.links)
        #expect(Set(taken.map(\.target)) == Set(left.filter { $0.value <= deletion }.keys))
        #expect(taken.map(\.added) == taken.map(\.added).sorted())
        left = left.filter { $0.value > deletion }
        record.deleted = deletion
      }
    }
  }
}
