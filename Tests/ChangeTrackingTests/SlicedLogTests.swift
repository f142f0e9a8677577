import ObjectStore
import Testing

@testable import ChangeTracking

final class Driver: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var note: String?
  @ToOne(inverse: \Car.driver) var car: Car?
}

final class Car: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToOne var driver: Driver?
}

/// A log that takes several transactions to make sets of: rows are not brought up to date between them.
@Suite struct SlicedLogTests {
  @Test func `a claim that the user has made since is not lost to one that waited`() throws {
    let model = try ManagedObjectModel(Driver.self, Car.self)
    let here = try ManagedDevice("here", model, setLimit: 2)
    let there = try ManagedDevice("there", model)
    func driver(_ name: String, _ device: ManagedDevice) throws -> Driver {
      device.context.mergePendingChanges()
      let all = try device.context.fetch(FetchRequest<Driver>())
      return try #require(all.first { $0.ticdsSyncID == name })
    }
    try here.edit { context in
      for name in ["a", "b", "c"] { try context.insert(Driver.self) { $0.ticdsSyncID = name } }
      try context.insert(Car.self) { $0.ticdsSyncID = "car" }
    }
    try ManagedDevice.exchange(here, there)
    // There it is b's, and later here a's.
    try there.edit { _ in try driver("b", there).car = there.the(Car.self) }
    here.clock.advance(60_000)
    try here.edit { _ in try driver("a", here).car = here.the(Car.self) }
    try ManagedDevice.exchange(here, there)
    try #require(try here.the(Car.self).driver?.ticdsSyncID == "a")

    try here.edit { _ in try driver("a", here).car = nil }
    for count in 0..<6 { try here.edit { _ in try driver("a", here).note = "\(count)" } }
    try here.edit { _ in try driver("c", here).car = here.the(Car.self) }
    try ManagedDevice.exchange(here, there)

    for device in [here, there] { #expect(try device.the(Car.self).driver?.ticdsSyncID == "c") }
  }

  @Test func `what waits for the end of the log waits in the file`() throws {
    let model = try ManagedObjectModel(Driver.self, Car.self)
    let device = try ManagedDevice("here", model)
    let register = RegisterID(object: RecordID(rawValue: 7), bit: PropertyBit(rawValue: 3))
    let changes = UnshownChanges(
      inserted: [register.object], claims: [register], contributed: [register], mayFreeClaims: true)
    try device.replica.begin { transaction in
      let table = UnshownTable(transaction.cells.state)
      try table.append(changes)
      try table.append(UnshownChanges(mayFreeValues: true))
    }

    #expect(try device.replica.hasUnfrozenChanges)
    let taken = try device.replica.begin { try UnshownTable($0.cells.state).take() }
    #expect(taken.inserted == changes.inserted && taken.claims == changes.claims)
    #expect(taken.contributed == changes.contributed && taken.mayFreeClaims && taken.mayFreeValues)
    #expect(try !device.replica.hasUnfrozenChanges)
  }
}
