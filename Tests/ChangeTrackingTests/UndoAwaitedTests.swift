import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// Taking a merge back that came while a long value was awaited.
@Suite struct UndoAwaitedTests {
  private let here: PlainDevice
  private let there: PlainDevice
  private let text = AttributeValue.string(String(repeating: "x", count: 100_000))

  /// A person whose long name has not arrived here.
  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try there.edit { try $0.insert("Person", "a", ["name": text, "age": .integer(3)]) }
    try here.receive(try there.push())
    there.clock.advance(1)
  }

  private func merge() throws -> MergeInverse {
    let outcome = try here.replica.apply(try there.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { return MergeInverse() }
    return try #require(report.inverse)
  }

  private func deliver(to device: PlainDevice) throws {
    var fetched = FetchedLongValues()
    for reference in try device.replica.awaitedLongValues() {
      _ = fetched.add(try #require(there.pushedLongValues[reference.hash]), as: reference)
    }
    try device.replica.receive(fetched)
  }

  @Test func `a short value that came in place of one that had not arrived stays, and is told`() throws {
    try there.edit { try $0.set("Person", "a", "name", .string("short")) }
    let inverse = try merge()

    let report = try here.replica.undo(inverse)

    #expect(report.kept.map(\.key) == ["name"])
    #expect(try here.store.contents() == there.store.contents())
    try there.receive(try here.push())
    #expect(try there.store.contents().contains { $0.contains("short") })
  }

  @Test(arguments: [true, false])
  func `an object comes back that still awaits its value, and shows it when it arrives`(
    _ isOfferedBefore: Bool
  ) throws {
    let before = try there.store.contents()
    try there.edit { try $0.delete("Person", "a") }
    let inverse = try merge()
    #expect(try here.replica.awaitedLongValues().isEmpty)
    // Nobody waits for it now, so it is not taken.
    if isOfferedBefore { try deliver(to: here) }

    let report = try here.replica.undo(inverse)

    #expect(report.kept.isEmpty && report.objects == 1)
    #expect(report.awaited.map(\.key) == ["name"])
    #expect(try here.replica.awaitedLongValues().count == 1)
    #expect(try here.replica.awaitedChanges().map(\.object) == ["a"])
    try there.receive(try here.push())
    for device in [here, there] {
      try deliver(to: device)
      #expect(try device.store.contents() == before)
    }
    #expect(try here.push().isEmpty)
  }
}
