import ByteFixtures
import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Counters with so many contributions that their totals are kept.
@Suite struct CounterTotalTests {
  private let model: ManagedObjectModel
  private let here: ManagedDevice
  private let there: ManagedDevice

  init() throws {
    model = try ManagedObjectModel(Poll.self, Meter.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
  }

  final class Meter: ManagedObject {
    override class var entityOptions: EntityOptions? {
      EntityOptions(Meter.self, name: "Meter", userInfo: [SyncModelKey.naturalKey: "name"])
    }

    @Attribute(indexed: true) var ticdsSyncID: String?
    @Attribute var name: String = "meter"
    @Attribute(userInfo: .merging(.counter)) var reading: Double = 0
  }

  private func exchangeEverything() throws {
    try here.push()
    try there.push()
    try here.receive(there.pushed)
    try there.receive(here.pushed)
  }

  private func totals(_ device: ManagedDevice) throws -> SQLiteValue? {
    try device.context.connection.first("SELECT count(*) FROM TICDS_TOTAL")
  }

  @Test func `a counter that is pushed after each of many steps shows their sum, and keeps it`() throws {
    try here.edit { _ = try $0.insert(Poll.self) }
    for _ in 0..<100 {
      try here.edit { _ in try here.the(Poll.self).votes += 1 }
      try here.push()
    }
    #expect(try totals(here) == .integer(1))
    try there.receive(here.pushed)

    #expect(try here.the(Poll.self).votes == 100)
    #expect(try there.the(Poll.self).votes == 100)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `sums with rounding agree, whether steps come one by one, late or all at once`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try here.edit { _ = try $0.insert(Meter.self) }
    try ManagedDevice.exchange(here, there)
    for _ in 0..<80 {
      let device = Bool.random(using: &random) ? here : there
      device.clock.advance(UInt64.random(in: 1...5_000, using: &random))
      let step =
        Double.random(in: -1...1, using: &random) * pow(10, Double(Int.random(in: 0...12, using: &random)))
      try device.edit { _ in try device.the(Meter.self).reading += step }
      if Int.random(in: 0..<4, using: &random) == 0 { try exchangeEverything() }
      if Bool.random(using: &random) { try device.push() }
    }
    try exchangeEverything()
    let late = try ManagedDevice("late", model)
    try late.receive(here.pushed + there.pushed)

    let reading = try late.the(Meter.self).reading
    #expect(try here.the(Meter.self).reading == reading)
    #expect(try there.the(Meter.self).reading == reading)
  }

  @Test
  func `a deletion ends a total that is kept, and the object that is made anew counts from the beginning`()
    throws
  {
    try here.edit { _ = try $0.insert(Poll.self) }
    for _ in 0..<50 {
      try here.edit { _ in try here.the(Poll.self).votes += 1 }
      try here.push()
    }
    try here.edit { $0.delete(try here.the(Poll.self)) }
    try here.edit { try $0.insert(Poll.self).votes = 2 }
    try here.push()
    try there.receive(here.pushed)

    #expect(try here.the(Poll.self).votes == 2)
    #expect(try there.the(Poll.self).votes == 2)
    #expect(try totals(here) == .integer(0))
  }

  // MARK: Sums and types

  private static func tally(_ type: AttributeType) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Tally", attributes: [RenamingTests.syncID, .init("count", type, userInfo: .merging(.counter))])
    ]
  }

  /// A device with a tally that has pushed it.
  private static func counting(_ type: AttributeType) throws -> VersionedDevice {
    let device = try VersionedDevice("device", tally(type))
    try device.insert("Tally", "t")
    try device.push()
    return device
  }

  /// Somebody who counts as he likes.
  private static var author: ScriptedAuthor {
    let count = EntityNames.Property(name: "count", kind: .attribute)
    return ScriptedAuthor(9, entities: EntityNames(name: "Tally", root: "Tally", properties: [count]))
  }

  @Test func `sums that no decimal holds do not end the counting, nor what else is done`() throws {
    let device = try Self.counting(.integer64)
    var author = Self.author
    func great(_ time: UInt64) -> Change {
      Change(
        "t", at: 1_700_000_010_000 + time,
        .contribute(property: 0, value: .decimal(.greatestFiniteMagnitude), origin: nil))
    }
    let sets = [try author.set((0..<32).map { great($0) }), try author.set(great(32))]
    let other = try VersionedDevice("other", Self.tally(.integer64))
    try other.receive(from: device)
    for set in sets {
      for device in [device, other] { _ = try device.replica.receive([set], policy: .always(.latest)) }
    }

    try device.set("Tally", "t", "count", .integer(5))
    try device.insert("Tally", "u")
    try other.receive(from: device)

    #expect(try other.count("Tally") == 2)
    #expect(try other.value("Tally", "t", "count") == device.value("Tally", "t", "count"))
  }

  @Test(
    arguments: [
      (.integer16, .integer(30_000), .integer(32_767)), (.integer16, .integer(-30_000), .integer(-32_768)),
      (.integer32, .integer(2_000_000_000), .integer(2_147_483_647)),
      (.integer64, .integer(.min), .integer(.min)), (.double, .integer(.max), .double(0x1p64)),
      (.float, .integer(.min), .float(-0x1p64)), (.double, .decimal(Decimal(string: "0.5") ?? 0), .double(1)),
      (.decimal, .double(0.5), .decimal(1)),
    ] as [(AttributeType, AttributeValue, AttributeValue)])
  func `a sum shows as what comes nearest to it in the type of the attribute`(
    type: AttributeType, step: AttributeValue, shown: AttributeValue
  ) throws {
    let device = try Self.counting(type)
    var author = Self.author
    let set = try author.set(
      (1...2).map {
        Change("t", at: 1_900_000_000_000 + $0, .contribute(property: 0, value: step, origin: nil))
      })

    _ = try device.replica.receive([set], policy: .always(.latest))

    #expect(try device.value("Tally", "t", "count") == shown)
  }
}
