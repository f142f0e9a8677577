import ObjectStore
import Testing

@testable import ChangeTracking

/// Deletions that the merge policy takes back because others have changed the object, in a save that deletes more.
@Suite struct SparedObjectTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices on which the guest has the seat.
  init() throws {
    let model = try ManagedObjectModel(Guest.self, Seat.self, Table.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { context in
      let guest = try context.insert(Guest.self) { $0.name = "guest" }
      guest.seat = try context.insert(Seat.self) { $0.name = "seat" }
      guest.table = try context.insert(Table.self)
    }
    try ManagedDevice.exchange(here, there)
  }

  /// Deletes all three here, while one of them is changed in another context.
  private func delete(
    _ policy: MergePolicy, whileChanging change: (ManagedObjectContext) throws -> Void
  ) throws {
    let context = try here.context.store.newContext()
    context.mergesChangesAutomatically = false
    context.mergePolicy = policy
    for object in [
      try #require(try context.fetch(Guest.self).first), try #require(try context.fetch(Seat.self).first),
      try #require(try context.fetch(Table.self).first),
    ] as [ManagedObject] { context.delete(object) }
    let other = try here.context.store.newContext()
    try change(other)
    try other.save()
    try context.save()
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `a guest who stays has no seat and no table when these go`(policy: MergePolicy) throws {
    try delete(policy) { try $0.fetch(Guest.self).first?.name = "renamed" }
    for _ in 0..<2 { try ManagedDevice.exchange(here, there) }

    for device in [here, there] {
      let context = try device.context.store.newContext()
      let guest = try #require(try context.fetch(Guest.self).first)
      #expect(guest.name == "renamed")
      #expect(guest.seat == nil && guest.table == nil)
      #expect(try context.fetch(Seat.self).isEmpty && context.fetch(Table.self).isEmpty)
    }
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `a seat that stays is free when its guest goes`(policy: MergePolicy) throws {
    try delete(policy) { try $0.fetch(Seat.self).first?.name = "renamed" }
    for _ in 0..<2 { try ManagedDevice.exchange(here, there) }

    for device in [here, there] {
      let context = try device.context.store.newContext()
      let seat = try #require(try context.fetch(Seat.self).first)
      #expect(seat.name == "renamed")
      #expect(seat.guest == nil)
      #expect(try context.fetch(Guest.self).isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `what stays denies the deletion of what it may not lose`(isToMany: Bool) throws {
    let device = try VersionedDevice(
      "here",
      [
        EntityDeclaration(
          "Owner", attributes: [RenamingTests.syncID],
          relationships: [
            .init("thing", to: "Thing", inverse: "owner", isToMany: isToMany, deleteRule: .deny)
          ]),
        EntityDeclaration(
          "Thing", attributes: [RenamingTests.syncID, .init("title", .string)],
          relationships: [.init("owner", to: "Owner", inverse: "thing", isToMany: false)]),
      ])
    try device.insert("Owner", "o")
    try device.insert("Thing", "t")
    try device.setTarget("Thing", "t", "owner", device.object("Owner", "o"))
    let context = try device.context.store.newContext()
    context.mergesChangesAutomatically = false
    context.mergePolicy = .storeWins
    for entity in ["Owner", "Thing"] {
      let objects = try context.fetch(FetchRequest<ManagedObject>(entity: entity))
      objects.forEach(context.delete)
    }
    try device.set("Thing", "t", "title", .string("changed"))

    for _ in 0..<2 {
      #expect { try context.save() } throws: { error in
        guard case .deletionDenied(_, property: "thing")? = (error as? SaveError)?.problems.first else {
          return false
        }
        return true
      }
    }
    #expect(try device.target("Thing", "t", "owner") == "o")
  }
}
