import ObjectStore
import Testing

@testable import ChangeTracking

final class Neighbour: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToMany(isOwnInverse: true) var friends: Set<Neighbour>
}

/// To-many relationships that are their own inverse: a link has no direction.
@Suite struct SymmetricRelationshipTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices that know `a` and `b`, whose rows come in another order on each.
  init() throws {
    let model = try ManagedObjectModel(Neighbour.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { context in
      for name in ["b", "a"] { try context.insert(Neighbour.self) { $0.ticdsSyncID = name } }
    }
    try ManagedDevice.exchange(here, there)
  }

  private func neighbour(_ name: String, on device: ManagedDevice) throws -> Neighbour {
    device.context.mergePendingChanges()
    let all = try device.context.fetch(FetchRequest<Neighbour>())
    return try #require(all.first { $0.ticdsSyncID == name })
  }

  private func friends(of name: String, on device: ManagedDevice) throws -> [String?] {
    try neighbour(name, on: device).friends.map(\.ticdsSyncID)
  }

  @Test(arguments: ["a", "b"], ["a", "b"])
  func `whoever's side a link is added from, it can be removed from either`(adder: String, remover: String)
    throws
  {
    let other = ["a": "b", "b": "a"]
    try here.edit { _ in
      let friend = try neighbour(try #require(other[adder]), on: here)
      try neighbour(adder, on: here).friends.insert(friend)
    }
    try ManagedDevice.exchange(here, there)
    try #require(try friends(of: "a", on: there) == ["b"])
    try there.edit { _ in
      let friend = try neighbour(try #require(other[remover]), on: there)
      try neighbour(remover, on: there).friends.remove(friend)
    }
    try ManagedDevice.exchange(here, there)

    for device in [here, there] {
      #expect(try friends(of: "a", on: device).isEmpty)
      #expect(try friends(of: "b", on: device).isEmpty)
    }
  }

  @Test func `a link is said from the lesser identifier, whichever row comes first`() throws {
    for device in [here, there] {
      try device.edit { _ in
        let friend = try neighbour("a", on: device)
        try neighbour("b", on: device).friends.insert(friend)
      }
      let said = try device.push().flatMap { $0.set.changes }
      #expect(said.map(\.object) == ["a"])
    }
  }

  @Test(arguments: [false, true])
  func
    `of an object that others only mentioned, a link may be removed with the object, and a deletion heard of`(
      isDeletedHere: Bool
    ) throws
  {
    // Given a link to an object that nobody has inserted, and so nobody knows the entity of.
    var author = ScriptedAuthor(
      0x77,
      entities: EntityNames(
        name: "Neighbour", root: "Neighbour",
        properties: [.init(name: "friends", kind: .toMany(destination: "Neighbour"))]))
    let mention = try author.set(
      Change("b", at: here.clock.milliseconds, .link(property: 0, target: "0")))
    try here.receive([mention])
    // When it is made here and goes, or somebody deletes the other end.
    if isDeletedHere {
      try here.edit { context in
        let new = try context.insert(Neighbour.self) { $0.ticdsSyncID = "0" }
        try neighbour("b", on: here).friends.insert(new)
      }
      try here.edit { try $0.delete(neighbour("0", on: here)) }
    } else {
      try here.edit { try $0.insert(Neighbour.self).ticdsSyncID = "new" }
      try here.receive([author.set(Change("b", at: here.clock.milliseconds + 10, .delete))])
    }
    try ManagedDevice.exchange(here, there)

    #expect(
      try here.context.fetch(Neighbour.self).count == there.context.fetch(Neighbour.self).count
        + (isDeletedHere ? 0 : -1))
  }

  @Test func `the list at either end has its order, though a link is told later than the places`() throws {
    let device = try VersionedDevice(
      "receiver",
      [
        EntityDeclaration(
          "Stop", attributes: [RenamingTests.syncID],
          relationships: [.toMany("next", to: "Stop", inverse: "next", isOrdered: true)])
      ])
    var author = ScriptedAuthor(
      1 << 62,
      entities: EntityNames(
        name: "Stop", root: "Stop", properties: [.init(name: "next", kind: .toMany(destination: "Stop"))]))
    func place(_ target: SyncID, _ key: UInt8) -> Change {
      Change("b", at: 20, .place(property: 0, target: target, isInverse: false, bytes: [key]))
    }
    let stops = ["a", "b", "c"].map { Change($0, at: 10, .insert([])) }
    let last = Change("b", at: 20, .link(property: 0, target: "c"))
    _ = try device.replica.receive(
      [author.set(stops + [last, place("c", 1), place("a", 2)])], policy: .always(.latest))

    _ = try device.replica.receive(
      [author.set(Change("a", at: 20, .link(property: 0, target: "b")))], policy: .always(.latest))

    let next = try device.object("Stop", "b")?.members("next").map { $0[SyncModelKey.syncID] }
    #expect(next == [.string("c"), .string("a")])
  }
}
