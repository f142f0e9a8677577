import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// What is kept of lists and links between the slices of a merge.
@Suite struct SliceCarryOverTests {
  private let device: VersionedDevice
  private let carryOver = SliceCarryOver()
  private let list = MemberListID(
    declaration: EntityNumber(rawValue: 1), bit: PropertyBit(rawValue: 2), isInverse: false,
    owner: RecordID(rawValue: 3))
  private let first = PlaceKey(bytes: [1])
  private let second = PlaceKey(bytes: [2])

  /// A slice in which the list ended with the first place.
  init() throws {
    device = try VersionedDevice(
      "here", [EntityDeclaration("Thing", attributes: [RenamingTests.syncID, .init("title", .string)])])
    try slice { $0.listEnds?.note(first, in: list) }
  }

  private struct Stopped: Error {}

  private func slice(isTakenBack: Bool = false, _ body: (Showing) throws -> Void) throws {
    try device.replica.begin { transaction in
      try transaction.cells.state.setInteger(.pushed, 1)
      carryOver.begin(transaction.showing)
      try body(transaction.showing)
      carryOver.end(transaction.showing)
      if isTakenBack { throw Stopped() }
    }
    carryOver.confirm(on: device.replica.connection)
  }

  @Test func `a list ends where the last slice has left it`() throws {
    try slice { showing in
      let ends = try #require(showing.listEnds)
      #expect(ends.isEnd(of: list, second))
      #expect(!ends.isEnd(of: list, first))
    }
  }

  @Test func `a list has no known end once somebody else has saved`() throws {
    try device.insert("Thing", "t")

    try slice { #expect($0.listEnds?.isEnd(of: list, second) == false) }
  }

  @Test func `what was put before other members does not bring the end nearer`() throws {
    try slice { showing in
      showing.listEnds?.note(second, in: list)
      showing.listEnds?.note(first, in: list)
      #expect(showing.listEnds?.isEnd(of: list, second) == false)
    }
  }

  @Test func `what a slice has found that was taken back is not known`() throws {
    #expect(throws: Stopped.self) {
      try slice(isTakenBack: true) { $0.listEnds?.note(first, in: list) }
    }
    try device.insert("Thing", "t")

    try slice { #expect($0.listEnds?.isEnd(of: list, second) == false) }
  }

  @Test func `what happens after a slice in its transaction is not followed`() throws {
    try device.replica.begin { transaction in
      carryOver.begin(transaction.showing)
      carryOver.end(transaction.showing)
      #expect(transaction.showing.listEnds == nil)
    }
  }
}
