import ObjectStore
import Testing

@testable import ChangeTracking

/// Properties and entities that one version of a model drops and a later one has again.
@Suite struct DroppedValueTests {
  private static let full = [
    EntityDeclaration(
      "Card", attributes: [RenamingTests.syncID, .init("name", .string), .init("note", .string)],
      relationships: [.toOne("box", to: "Box", inverse: "cards"), .toOne("next", to: "Card")]),
    EntityDeclaration(
      "Box", attributes: [RenamingTests.syncID, .init("label", .string)],
      relationships: [.toMany("cards", to: "Card", inverse: "box")]),
  ]

  private static let withoutProperties = [
    EntityDeclaration("Card", attributes: [RenamingTests.syncID, .init("name", .string)]),
    EntityDeclaration("Box", attributes: [RenamingTests.syncID, .init("label", .string)]),
  ]

  private static let withoutEntity = [
    EntityDeclaration(
      "Card", attributes: [RenamingTests.syncID, .init("name", .string), .init("note", .string)])
  ]

  private func fill(_ device: VersionedDevice) throws {
    try device.insert("Box", "b", ["label": .string("red")])
    for id in ["c", "d"] {
      try device.insert("Card", id, ["name": .string(id), "note": .string("of " + id)])
    }
    try device.setTarget("Card", "c", "box", device.object("Box", "b"))
    try device.setTarget("Card", "c", "next", device.object("Card", "d"))
  }

  private func expectEverything(_ devices: VersionedDevice...) throws {
    for device in devices {
      #expect(try device.text("Card", "c", "note") == "of c")
      #expect(try device.target("Card", "c", "box") == "b")
      #expect(try device.target("Card", "c", "next") == "d")
      #expect(try device.text("Box", "b", "label") == "red")
    }
  }

  @Test(arguments: [true, false], [withoutProperties, withoutEntity])
  func `what a version has dropped shows again in a later one, whoever had the version between`(
    inOneGo: Bool, between: [EntityDeclaration]
  ) throws {
    let one = try VersionedDevice("one", Self.full)
    let late = try VersionedDevice("late", Self.full)
    try fill(one)
    try VersionedDevice.synchronize(one, late)

    if inOneGo {
      try one.upgrade(to: Self.full, by: Self.full, between)
    } else {
      try one.upgrade(to: between, by: Self.full)
      try VersionedDevice.synchronize(one, late)
      try one.upgrade(to: Self.full, by: between)
    }
    let joined = try VersionedDevice("joined", Self.full)
    try VersionedDevice.synchronize(one, late, joined)

    try expectEverything(one, late, joined)
  }

  @Test func `what was written meanwhile shows rather than what was dropped`() throws {
    let one = try VersionedDevice("one", Self.full)
    let late = try VersionedDevice("late", Self.full)
    try fill(one)
    try VersionedDevice.synchronize(one, late)
    try one.upgrade(to: Self.withoutProperties, by: Self.full)

    late.clock.advance(60_000)
    try late.set("Card", "c", "note", .string("later"))
    try late.setTarget("Card", "c", "next", nil)
    try VersionedDevice.synchronize(one, late)
    try one.upgrade(to: Self.full, by: Self.withoutProperties)
    try VersionedDevice.synchronize(one, late)

    for device in [one, late] {
      #expect(try device.text("Card", "c", "note") == "later")
      #expect(try device.target("Card", "c", "next") == nil)
    }
  }

  @Test func `a former version that begins with a store of a later one keeps what it does not know`() throws {
    let one = try VersionedDevice("one", Self.full)
    try fill(one)
    try one.push()

    let former = try VersionedDevice("former", snapshotOf: one, Self.withoutProperties)
    try former.set("Card", "d", "name", .string("mine"))
    try VersionedDevice.synchronize(one, former)
    try former.upgrade(to: Self.full, by: Self.withoutProperties)

    try expectEverything(one, former)
    for device in [one, former] { #expect(try device.text("Card", "d", "name") == "mine") }
  }

  @Test func `what one step has renamed and the next has dropped is found by its latest name`() throws {
    func model(_ attribute: AttributeDescription?) -> [EntityDeclaration] {
      [EntityDeclaration("Card", attributes: [RenamingTests.syncID] + [attribute].compactMap(\.self))]
    }
    let remark = model(.init("remark", .string, renamingIdentifier: "note"))
    let one = try VersionedDevice("one", model(.init("note", .string)))
    try one.insert("Card", "c", ["note": .string("kept")])
    try one.push()

    try one.upgrade(to: model(nil), by: model(.init("note", .string)), remark)
    try one.upgrade(to: remark, by: model(nil))

    #expect(try one.text("Card", "c", "remark") == "kept")
  }

  @Test(arguments: [true, false])
  func `null that a version has filled shows again in a later one, unless it was written over`(inOneGo: Bool)
    throws
  {
    func model(_ note: AttributeDescription) -> [EntityDeclaration] {
      [EntityDeclaration("Card", attributes: [RenamingTests.syncID, note])]
    }
    let admitting = model(.init("note", .string))
    let demanding = model(.init("note", .string, isOptional: false, defaultValue: .string("none")))
    let one = try VersionedDevice("one", admitting)
    let late = try VersionedDevice("late", admitting)
    for id in ["c", "d"] {
      try one.insert("Card", id, ["note": .string("some")])
      try one.push()
      try one.set("Card", id, "note", .null)
    }
    try VersionedDevice.synchronize(one, late)

    if inOneGo {
      try one.upgrade(to: admitting, by: admitting, demanding)
      try one.set("Card", "d", "note", .string("new"))
    } else {
      try one.upgrade(to: demanding, by: admitting)
      #expect(try one.text("Card", "c", "note") == "none")
      try one.set("Card", "d", "note", .string("new"))
      try VersionedDevice.synchronize(one, late)
      try one.upgrade(to: admitting, by: demanding)
    }
    let joined = try VersionedDevice("joined", admitting)
    try VersionedDevice.synchronize(one, late, joined)

    for device in [one, late, joined] {
      #expect(try device.value("Card", "c", "note") == .null)
      #expect(try device.text("Card", "d", "note") == "new")
    }
  }
}
