import ObjectStore
import Testing

@testable import ChangeTracking

final class Guest: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name = ""
  @ToOne var seat: Seat?
  @ToOne var table: Table?
}

final class Table: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToMany(inverse: \Guest.table) var guests: Set<Guest>
}

final class Seat: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name = ""
  @ToOne(inverse: \Guest.seat) var guest: Guest?
}

/// What contexts show of relationships with two sides when a merge writes them: an object on either side, in memory or not.
@Suite struct PairedContextTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices on which the guest "Ada" has the seat "window"; "Bob" and "aisle" have nobody.
  init() throws {
    let model = try ManagedObjectModel(Guest.self, Seat.self, Table.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { context in
      let ada = try context.insert(Guest.self) { $0.name = "Ada" }
      try context.insert(Guest.self) { $0.name = "Bob" }
      ada.seat = try context.insert(Seat.self) { $0.name = "window" }
      try context.insert(Seat.self) { $0.name = "aisle" }
      ada.table = try context.insert(Table.self)
    }
    try ManagedDevice.exchange(here, there)
  }

  private func guest(_ name: String, _ device: ManagedDevice) throws -> Guest {
    try #require(try device.context.fetch(FetchRequest<Guest>()).first { $0.name == name })
  }

  private func seat(_ name: String, _ device: ManagedDevice) throws -> Seat {
    try #require(try device.context.fetch(FetchRequest<Seat>()).first { $0.name == name })
  }

  /// Reads all objects here, and merges what is done there.
  private func merge(_ theirs: (ManagedObjectContext) throws -> Void) throws {
    for name in ["Ada", "Bob"] { _ = try guest(name, here).seat }
    for name in ["window", "aisle"] { _ = try seat(name, here).guest }
    _ = try here.the(Table.self).guests.count
    try there.edit(theirs)
    try here.receive(there.push())
    here.context.mergePendingChanges()
  }

  @Test func `a guest who moved is on the new seat and has left the former one`() throws {
    let (window, aisle) = (try seat("window", here), try seat("aisle", here))

    try merge { _ in try guest("Ada", there).seat = seat("aisle", there) }

    #expect(window.guest == nil && aisle.guest?.name == "Ada")
  }

  @Test func `whose seat was given to another has none`() throws {
    let (ada, bob) = (try guest("Ada", here), try guest("Bob", here))

    try merge { _ in try guest("Bob", there).seat = seat("window", there) }

    #expect(ada.seat == nil && bob.seat?.name == "window")
  }

  @Test func `a seat whose guest was deleted is free`() throws {
    let window = try seat("window", here)

    try merge { context in context.delete(try guest("Ada", there)) }

    #expect(window.guest == nil)
  }

  @Test func `a guest whose seat was deleted has none`() throws {
    let ada = try guest("Ada", here)

    try merge { context in context.delete(try seat("window", there)) }

    #expect(ada.seat == nil)
  }

  @Test func `who was seated at a table is among its guests, and who left it is not`() throws {
    let table = try here.the(Table.self)

    try merge { _ in
      try guest("Ada", there).table = nil
      try guest("Bob", there).table = there.the(Table.self)
    }

    #expect(table.guests.map(\.name) == ["Bob"])
  }

  @Test(arguments: [true, false])
  func `the report names the rows on both sides`(deletes: Bool) throws {
    try there.edit { context in
      let ada = try guest("Ada", there)
      if deletes { context.delete(ada) } else { ada.seat = try seat("aisle", there) }
    }

    let changed = try here.receive(there.push()).changedRows

    let seats = Set(changed.updated.filter { here.replica.store.schema[$0.entity].name == "Seat" })
    #expect(seats.count == (deletes ? 1 : 2))
  }
}

/// Unsaved edits of such relationships that meet what a merge did to the other side.
extension PairedContextTests {
  @Test(arguments: [MergePolicy.objectWins, .storeWins, .rollback])
  func `a deletion wins over an edit that gave the object away, on both sides`(policy: MergePolicy) throws {
    here.context.mergePolicy = policy
    let (ada, bob) = (try guest("Ada", here), try guest("Bob", here))
    bob.seat = try seat("window", here)

    try merge { context in context.delete(try seat("window", there)) }
    try here.context.save()

    #expect(ada.seat == nil && bob.seat == nil)
    try expectAgreement()
  }

  @Test(arguments: [MergePolicy.objectWins, .storeWins, .rollback])
  func `a new object that took a seat which was given to another`(policy: MergePolicy) throws {
    here.context.mergePolicy = policy
    let cleo = try here.context.insert(Guest.self) { $0.name = "Cleo" }
    cleo.seat = try seat("window", here)

    try merge { _ in try guest("Bob", there).seat = seat("window", there) }
    try here.context.save()

    #expect(try seat("window", here).guest?.name == (policy == .objectWins ? "Cleo" : "Bob"))
    try expectAgreement()
  }

  @Test(arguments: [MergePolicy.objectWins, .storeWins, .rollback], ["Ada", "Bob"])
  func `a new object that took a seat whose guest got another`(policy: MergePolicy, name: String) throws {
    here.context.mergePolicy = policy
    let cleo = try here.context.insert(Guest.self) { $0.name = "Cleo" }
    cleo.seat = try seat("window", here)

    try merge { _ in try guest(name, there).seat = seat("aisle", there) }
    try here.context.save()

    try expectAgreement()
  }

  @Test(arguments: [MergePolicy.objectWins, .storeWins, .rollback])
  func `a new object that took a seat whose guest was deleted`(policy: MergePolicy) throws {
    here.context.mergePolicy = policy
    let cleo = try here.context.insert(Guest.self) { $0.name = "Cleo" }
    cleo.seat = try seat("window", here)

    try merge { context in context.delete(try guest("Ada", there)) }
    try here.context.save()

    try expectAgreement()
  }

  /// Both sides say the same, in the context and in the rows, on both devices.
  private func expectAgreement() throws {
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      for context in [device.context, try device.context.store.newContext()] {
        context.mergePendingChanges()
        for guest in try context.fetch(FetchRequest<Guest>()) {
          if let seat = guest.seat { #expect(seat.guest === guest) }
        }
        for seat in try context.fetch(FetchRequest<Seat>()) {
          if let guest = seat.guest { #expect(guest.seat === seat) }
        }
      }
    }
  }
}
