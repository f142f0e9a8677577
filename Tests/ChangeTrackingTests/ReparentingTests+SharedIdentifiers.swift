import ObjectStore
import Testing

@testable import ChangeTracking

/// Objects with one identifier become one when their entities get one root.
extension ReparentingTests {
  /// Two objects with one identifier, which are one once the one's entity is below the other's.
  private func pair() throws -> VersionedDevice {
    let device = try VersionedDevice("one", Self.apart)
    try device.insert("Cat", "x", ["name": .string("Tom"), "lives": .integer(9)])
    try device.insert("Dog", "x", ["name": .string("Rex")])
    try device.push()
    return device
  }

  @Test func `two objects that become one are one everywhere, with what either had`() throws {
    let one = try pair()
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] {
      #expect(try device.count("Cat") == 1)
      #expect(try device.text("Dog", "x", "name") == "Rex")
      #expect(try device.value("Dog", "x", "lives") == .integer(9))
    }
  }

  @Test func `what was written to the one of two objects before they became one shows everywhere`() throws {
    let one = try pair()
    let joined = try VersionedDevice("joined", Self.nested)
    try one.set("Cat", "x", "name", .string("Felix"))

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] { #expect(try device.text("Dog", "x", "name") == "Felix") }
    #expect(try one.count("Cat") == 1)
  }

  @Test func `of two objects that become one, writing to the earlier leaves the entity as it is`() throws {
    let one = try pair()
    try one.insert("Cat", "c")
    let joined = try VersionedDevice("joined", Self.nested)
    try one.set("Cat", "x", "name", .string("Felix"))

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)
    try joined.edit { _ in
      try joined.object("Dog", "x")?.setMembers([joined.object("Cat", "c")].compactMap(\.self), "friends")
    }
    try one.receive(from: joined)

    for device in [one, joined] {
      #expect(try device.text("Dog", "x", "name") == "Felix")
      #expect(try device.members("Dog", "x", "friends") == ["c"])
    }
  }

  @Test func `of two objects that become one, writing to the earlier does not insert it again`() throws {
    let one = try VersionedDevice("one", Self.apart)
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.insert("Cat", "x", ["name": .string("Tom")])
    try one.push()
    let joined = try VersionedDevice("joined", Self.nested)
    try one.set("Dog", "x", "name", .string("Bello"))

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] {
      #expect(try device.count("Dog") == 0)
      #expect(try device.text("Cat", "x", "name") == "Bello")
    }
  }

  @Test func `of two objects that become one, deleting the one erases what was written to the other before`()
    throws
  {
    let one = try VersionedDevice("one", Self.apart)
    let two = try VersionedDevice("two", Self.apart)
    try one.insert("Cat", "x", ["name": .string("Tom"), "lives": .integer(9)])
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.push()
    try one.edit { context in if let dog = try one.object("Dog", "x") { context.delete(dog) } }
    // Lives on as the same cat, of which this says nothing but the name.
    two.clock.advance(60_000)
    try two.insert("Cat", "x", ["name": .string("Tim")])
    try VersionedDevice.synchronize(one, two)
    #expect(try one.value("Cat", "x", "lives") == .integer(9))
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)
    try joined.receive(from: two)
    try one.receive(from: joined)

    for device in [one, joined] {
      #expect(try device.text("Cat", "x", "name") == "Tim")
      #expect(try device.value("Cat", "x", "lives") == .null)
    }
  }

  @Test func `of two objects that become one the deletion counts if it was later`() throws {
    let one = try VersionedDevice("one", Self.apart)
    try one.insert("Cat", "x", ["name": .string("Tom")])
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.edit { context in if let cat = try one.object("Cat", "x") { context.delete(cat) } }
    try one.push()
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] { #expect(try device.count("Cat") == 0) }
  }
}
