import ObjectStore
import Testing

@testable import ChangeTracking

/// Natural keys in versions of the model in which their entity has another name or another parent.
@Suite struct NaturalKeyVersionTests {
  private static let syncID = RenamingTests.syncID
  private static let key = [SyncModelKey.naturalKey: "name"]

  private static func tag(_ name: String, _ former: String? = nil) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        name, attributes: [syncID, .init("name", .string)], renamingIdentifier: former, userInfo: key)
    ]
  }

  /// A tag below something else, which has the attributes and may have the key too.
  private static func child(parentHasKey: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Thing", attributes: [syncID, .init("name", .string)], userInfo: parentHasKey ? key : [:]),
      EntityDeclaration("Tag", parent: "Thing", userInfo: key),
    ]
  }

  private func add(_ name: String, to entity: String, on device: VersionedDevice) throws {
    try device.edit { try $0.insert(entity: entity)["name"] = .string(name) }
  }

  @Test func `a recorder that began before the first sync learns what the entity was called first`() throws {
    let old = try VersionedDevice("old", Self.tag("Tag"))
    let middle = try VersionedDevice("middle", Self.tag("Badge", "Tag"))
    let new = try VersionedDevice("new", Self.tag("Label", "Badge"))
    try add("blue", to: "Badge", on: middle)
    try new.receive(from: middle)

    try add("red", to: "Tag", on: old)
    try add("red", to: "Label", on: new)
    try VersionedDevice.synchronize(old, middle, new)

    #expect(try old.count("Tag") == 2)
    #expect(try middle.count("Badge") == 2)
    #expect(try new.count("Label") == 2)
  }

  @Test func `what was made before an earlier name was known is recognised`() throws {
    let middle = try VersionedDevice("middle", Self.tag("Badge", "Tag"))
    let new = try VersionedDevice("new", Self.tag("Label", "Badge"))
    try add("red", to: "Label", on: new)
    try add("blue", to: "Badge", on: middle)
    try new.receive(from: middle)

    try add("red", to: "Label", on: new)
    #expect(try new.count("Label") == 2)
  }

  @Test func `an entity that gets a parent keeps its identifiers`() throws {
    let old = try VersionedDevice("old", Self.tag("Tag"))
    let upgraded = try VersionedDevice("upgraded", Self.tag("Tag"))
    let new = try VersionedDevice("new", Self.child(parentHasKey: false))
    try add("red", to: "Tag", on: old)
    try add("red", to: "Tag", on: upgraded)
    try upgraded.upgrade(to: Self.child(parentHasKey: false))
    try add("blue", to: "Tag", on: upgraded)
    for device in [old, new] {
      for name in ["red", "blue"] where device !== old || name == "blue" {
        try add(name, to: "Tag", on: device)
      }
    }
    try VersionedDevice.synchronize(old, upgraded, new)

    for device in [old, upgraded, new] { #expect(try device.count("Tag") == 2) }
  }

  @Test(arguments: [false, true])
  func `a key that is there is recognised after its entity got a parent`(parentHasKey: Bool) throws {
    let device = try VersionedDevice("one", Self.tag("Tag"))
    try add("red", to: "Tag", on: device)
    try device.push()
    try device.upgrade(to: Self.child(parentHasKey: parentHasKey))

    try device.edit { context in
      let tag = try context.insert(entity: "Tag")
      tag["name"] = .string("red")
      try context.insert(entity: "Thing")["name"] = .string("other")
    }
    #expect(try device.count("Tag") == 1)
  }

  // MARK: Names that are in use again

  private static func notes(_ entities: (name: String, former: String?)...) -> [EntityDeclaration] {
    entities.map {
      EntityDeclaration(
        $0.name,
        attributes: [syncID, .init("title", .string), .init("\($0.name.lowercased())s", .integer64)],
        renamingIdentifier: $0.former)
    }
  }

  @Test(arguments: [[0, 1], [1, 0]], [nil, "Page"])
  func `objects show once where another entity has the name that theirs had`(order: [Int], former: String?)
    throws
  {
    let first = Self.notes(("Note", nil), ("Page", nil))
    let second = Self.notes(("Memo", "Note"), ("Page", nil))
    let old = try VersionedDevice("old", first)
    let middle = try VersionedDevice("middle", second)
    let after =
      former == nil
      ? Self.notes(("Memo", "Note"), ("Page", nil), ("Note", nil))
      : Self.notes(("Memo", "Note"), ("Note", "Page"))
    let joined = try VersionedDevice("joined", after)
    let upgraded = try VersionedDevice("upgraded", first)
    try old.insert("Note", "a", ["title": .string("A")])
    try old.insert("Page", "p", ["title": .string("P")])
    try VersionedDevice.synchronize(old, middle, upgraded)
    try middle.insert("Memo", "b", ["title": .string("B")])
    try middle.set("Memo", "a", "title", .string("A2"))
    try upgraded.upgrade(to: second)
    // One that has had the version in between need not be told of the renaming any more, unless the name is in use again.
    let later = former == nil ? after : Self.notes(("Memo", nil), ("Note", "Page"))
    try upgraded.upgrade(to: later)
    try upgraded.insert("Note", "c", ["title": .string("C")])

    for index in order { try joined.receive(from: [old, middle][index]) }
    try VersionedDevice.synchronize(old, middle, upgraded, joined)

    for device in [joined, upgraded] {
      #expect(try device.count("Memo") == 2)
      #expect(try device.count("Note") == (former == nil ? 1 : 2))
      #expect(try device.text("Memo", "a", "title") == "A2")
      #expect(try device.text("Note", "c", "title") == "C")
    }
    #expect(try old.count("Note") == 2)
  }

  @Test func `an attribute that has the name which another had is told apart by a device that had both`()
    throws
  {
    func version(_ attributes: AttributeDescription...) -> [EntityDeclaration] {
      [EntityDeclaration("Note", attributes: [Self.syncID] + attributes)]
    }
    let first = version(.init("title", .string))
    let second = version(.init("heading", .string, renamingIdentifier: "title"))
    let old = try VersionedDevice("old", first)
    let upgraded = try VersionedDevice("upgraded", first)
    try old.insert("Note", "a", ["title": .string("A")])
    try VersionedDevice.synchronize(old, upgraded)
    try upgraded.upgrade(to: second)
    try upgraded.upgrade(
      to: version(.init("heading", .string, renamingIdentifier: "title"), .init("title", .string)))
    try upgraded.set("Note", "a", "title", .string("something else"))

    try VersionedDevice.synchronize(old, upgraded)
    #expect(try old.text("Note", "a", "title") == "A")
    #expect(try upgraded.text("Note", "a", "heading") == "A")
    #expect(try upgraded.text("Note", "a", "title") == "something else")
  }
}
