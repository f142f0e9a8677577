import Foundation
import Inspection
import ObjectStore
import Testing

/// `StateDifferences`: what two states do not show alike.
@Suite struct StateDifferenceTests {
  @Test(
    arguments: [
      (-63_113_904_000, "0001-01-01T00:00:00.000Z"), (-15_810_076_800, "1500-01-01T00:00:00.000Z"),
      (-13_197_686_400.25, "1582-10-13T23:59:59.750Z"), (252_423_993_599, "9999-12-31T23:59:59.000Z"),
      (252_423_993_600, "252423993600.0 seconds since 2001"), (.infinity, "inf seconds since 2001"),
      (.nan, "nan seconds since 2001"),
    ] as [(Double, String)])
  func `dates are those of ISO 8601, whose calendar has no gap in 1582, and otherwise a number`(
    seconds: Double, text: String
  ) {
    #expect(StateDifferences.text(.date(seconds)) == text)
  }

  @Test(arguments: 0..<6)
  func `two moments differ in what was done between, and a device's store only in what it has not pushed`(
    seed: UInt64
  ) async throws {
    let workshop = try await Workshop(seed: seed, devices: 2)
    let (first, second) = (workshop.devices[0], workshop.devices[1])
    for _ in 0..<10 { try workshop.edit(first) }
    for device in [first, second] { try await device.sync() }
    let moment = workshop.now
    workshop.advance()
    let context = second.context
    context.mergePendingChanges()
    let part = try context.insert(Part.self)
    part.name = "between"
    let changed = try #require(try context.fetch(FetchRequest<Part>()).first { $0 !== part })
    changed.weight = 1_234.5
    try context.save()
    try await second.sync()
    try await first.sync()

    let model = try Workshop.model()
    let inspector = workshop.inspector
    func state(_ moment: StateMoment) async throws -> StateObjects {
      try await inspector.state(at: moment, model: model).objects()
    }
    let differences = try StateDifferences()
    try differences.add(try await state(.until(moment)), as: .first)
    try differences.add(try await state(.now), as: .second)
    var found: [StateDifference] = []
    try differences.forEach { found.append($0) }
    #expect(found.map(\.kind.rawValue).sorted() == ["added", "changed"])
    let added = try #require(found.first { $0.kind == .added })
    #expect(added.properties.first { $0.name == "name" }?.second == "between")
    let other = try #require(found.first { $0.kind == .changed })
    #expect(other.properties.map(\.name) == ["weight"])
    #expect(other.properties.first?.second == "1234.5")

    // A local store, read with its model and with what its tables tell.
    try workshop.edit(first)
    let held = Set(try first.contents())
    let latest = try await inspector.state(model: model)
    let published = Set(try Workshop.lines(latest.objects()))
    for (store, isLoose) in [
      (try StoreFile(path: first.path, model: model), false), (try StoreFile(path: first.path), true),
    ] {
      let differences = try StateDifferences(isLoose: isLoose)
      try differences.add(StateObjects(store), as: .first)
      try differences.add(try await state(.now), as: .second)
      let isEqual = try differences.forEach { _ in } == 0
      #expect(isEqual == (held == published))
    }
    try await first.sync()
    let equal = try StateDifferences(isLoose: true)
    try equal.add(StateObjects(StoreFile(path: first.path)), as: .first)
    let derived = try await inspector.state()
    try equal.add(try derived.objects(), as: .second)
    var left: [StateDifference] = []
    try equal.forEach { left.append($0) }
    #expect(left == [])
  }
}
