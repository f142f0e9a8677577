import ByteFixtures
import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Greatest and smallest values of so many candidates that what they show is kept.
@Suite struct ExtremeTotalTests {
  private static let names = EntityNames(
    name: "Card", root: "Card", properties: [.init(name: "best", kind: .attribute)])

  private func device(_ name: String, _ kind: MergeKind) throws -> VersionedDevice {
    try VersionedDevice(
      name,
      [
        EntityDeclaration(
          "Card", attributes: [RenamingTests.syncID, .init("best", .double, userInfo: .merging(kind))])
      ])
  }

  private func candidate(_ value: AttributeValue, at time: UInt64) -> Change {
    Change("c", at: time, .contribute(property: 0, value: value, origin: nil))
  }

  /// What is shown, as text, for not every number equals itself.
  private func text(_ device: VersionedDevice) throws -> String {
    let value = try device.value("Card", "c", "best")
    return "\(try #require(value))"
  }

  private func kept(_ device: VersionedDevice) throws -> SQLiteValue? {
    try device.context.connection.first("SELECT count(*) FROM TICDS_TOTAL")
  }

  @Test(arguments: 0..<30 as Range<UInt64>, [MergeKind.greatest, .smallest])
  func `many candidates show one value, whether they come one by one, in any order or all at once`(
    seed: UInt64, kind: MergeKind
  ) throws {
    var random = SeededGenerator(seed: seed)
    var sets: [ReceivedSet] = []
    for number in 1...70 as ClosedRange<UInt64> {
      // The later, the less: none makes another needless. Some are of other types, or the best of all for a while.
      let step = kind == .greatest ? -Int64(number) / 2 : Int64(number) / 2
      let value: AttributeValue =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .double(Double(step))
        case 1: .float(Float(step))
        case 2: .double(.nan)
        default: .integer(step)
        }
      var author = ScriptedAuthor(number, entities: Self.names)
      var changes = [candidate(value, at: 1_000 + number)]
      if number == 1 { changes.insert(Change("c", at: 1, .insert([])), at: 0) }
      if Int.random(in: 0..<40, using: &random) == 0 {
        changes += [Change("c", at: 1_000 + number, .delete), Change("c", at: 1_001 + number, .insert([]))]
      }
      sets.append(try author.set(changes))
    }
    let (inOrder, shuffled, atOnce) = (
      try device("in order", kind), try device("shuffled", kind), try device("at once", kind)
    )

    for set in sets { _ = try inOrder.replica.receive([set], policy: .always(.latest)) }
    for set in sets.shuffled(using: &random) {
      _ = try shuffled.replica.receive([set], policy: .always(.latest))
    }
    _ = try atOnce.replica.receive(sets, policy: .always(.latest))

    let best = try text(atOnce)
    #expect(try text(inOrder) == best)
    #expect(try text(shuffled) == best)
  }

  @Test func `what is kept follows a better candidate, and ends with a deletion of the best`() throws {
    let device = try device("device", .greatest)
    var author = ScriptedAuthor(7, entities: Self.names)
    func receive(_ changes: Change...) throws {
      _ = try device.replica.receive([author.set(changes)], policy: .always(.latest))
    }
    try receive(Change("c", at: 1, .insert([])))
    var others = ScriptedAuthor(8, entities: Self.names)
    let set = try others.set((0..<40).map { candidate(.integer(100 - $0), at: 100 + UInt64($0)) })
    _ = try device.replica.receive([set], policy: .always(.latest))
    #expect(try kept(device) == .integer(1))

    try receive(candidate(.integer(200), at: 50))
    #expect(try device.value("Card", "c", "best") == .double(200))
    #expect(try kept(device) == .integer(1))

    try receive(Change("c", at: 60, .delete), Change("c", at: 1_000, .insert([])))
    #expect(try device.value("Card", "c", "best") == .double(100))
  }
}
