import ObjectStore
import Testing

@testable import ChangeTracking

/// A version of an application gives a name to something new which something else had before, with a renaming identifier of its own or without.
@Suite struct ReusedNameTests {
  private static let titled = [
    EntityDeclaration("Note", attributes: [RenamingTests.syncID, .init("title", .string)])
  ]

  private static func captioned(_ identifier: String?) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Note",
        attributes: [
          RenamingTests.syncID, .init("caption", .string, renamingIdentifier: "title"),
          .init("title", .string, renamingIdentifier: identifier),
        ])
    ]
  }

  private static func headed(_ identifier: String) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Note",
        attributes: [
          RenamingTests.syncID, .init("caption", .string, renamingIdentifier: "title"),
          .init("heading", .string, renamingIdentifier: identifier),
        ])
    ]
  }

  @Test(arguments: [nil, "title.2"])
  func `what a new property is called is not what had the name before`(identifier: String?) throws {
    let (former, present) = (
      try VersionedDevice("former", Self.titled), try VersionedDevice("present", Self.titled)
    )
    try present.upgrade(to: Self.captioned(identifier), by: Self.titled)
    try present.insert("Note", "n", ["caption": .string("old"), "title": .string("new")])

    try former.receive(from: present)
    #expect(try former.text("Note", "n", "title") == "old")
    try former.set("Note", "n", "title", .string("edited"))
    try present.receive(from: former)
    try former.upgrade(to: Self.captioned(identifier), by: Self.titled)
    try VersionedDevice.synchronize(former, present)

    for device in [former, present] {
      #expect(try device.text("Note", "n", "caption") == "edited")
      #expect(try device.text("Note", "n", "title") == "new")
    }
  }

  @Test func `what had an identifier of its own is found by that when it is renamed in turn`() throws {
    let devices = try ["first", "second", "third"].map { try VersionedDevice($0, Self.titled) }
    for device in devices[1...] { try device.upgrade(to: Self.captioned("title.2"), by: Self.titled) }
    try devices[1].insert("Note", "n", ["caption": .string("old"), "title": .string("new")])
    try devices[2].upgrade(to: Self.headed("title.2"), by: Self.titled, Self.captioned("title.2"))

    for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1], devices[2]) }

    #expect(try devices[0].text("Note", "n", "title") == "old")
    #expect(try devices[2].text("Note", "n", "caption") == "old")
    #expect(try devices[2].text("Note", "n", "heading") == "new")
  }

  /// Renaming identifiers are the names of the first version, so the last one does not tell of the name in between.
  @Test(arguments: [false, true])
  func `what bears the name of a version in between is something new for who has followed the versions`(
    isOtherBetween: Bool
  ) throws {
    func version(_ attributes: AttributeDescription...) -> [EntityDeclaration] {
      [EntityDeclaration("Note", attributes: [RenamingTests.syncID] + attributes)]
    }
    let versions = [
      version(.init("a", .string)), version(.init("b", .string, renamingIdentifier: "a")),
      version(.init("c", .string, renamingIdentifier: "a"), .init("b", .string)),
    ]
    let (one, two) = (try VersionedDevice("one", versions[0]), try VersionedDevice("two", versions[0]))
    if isOtherBetween { try one.upgrade(to: versions[1], by: versions[0]) }
    for number in 1...2 { try two.upgrade(to: versions[number], through: Array(versions[..<number])) }
    try two.insert("Note", "n", ["c": .string("old"), "b": .string("new")])

    try one.receive(from: two)
    #expect(try one.text("Note", "n", isOtherBetween ? "b" : "a") == "old")
    try one.upgrade(to: versions[2], by: versions[0], versions[1])
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      #expect(try device.text("Note", "n", "c") == "old")
      #expect(try device.text("Note", "n", "b") == "new")
    }
  }

  @Test(arguments: [false, true])
  func `an entity with the name of a version in between is something new for who has followed the versions`(
    isOtherBetween: Bool
  ) throws {
    func version(_ names: (String, String?)...) -> [EntityDeclaration] {
      names.map {
        EntityDeclaration(
          $0.0, attributes: [RenamingTests.syncID, .init("text", .string)], renamingIdentifier: $0.1)
      }
    }
    let versions = [version(("A", nil)), version(("B", "A")), version(("C", "A"), ("B", nil))]
    let (one, two) = (try VersionedDevice("one", versions[0]), try VersionedDevice("two", versions[0]))
    if isOtherBetween { try one.upgrade(to: versions[1], by: versions[0]) }
    for number in 1...2 { try two.upgrade(to: versions[number], through: Array(versions[..<number])) }
    try two.insert("C", "old")
    try two.insert("B", "new")

    try one.receive(from: two)
    #expect(try one.object(isOtherBetween ? "B" : "A", "old") != nil)
    #expect(try one.object(isOtherBetween ? "B" : "A", "new") == nil)
    try one.upgrade(to: versions[2], by: versions[0], versions[1])
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      #expect(try device.object("C", "old") != nil && device.object("B", "new") != nil)
      #expect(try device.count("C") == 1 && device.count("B") == 1)
    }
  }

  private static func memos(_ identifier: String?) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Memo", attributes: [RenamingTests.syncID, .init("title", .string)], renamingIdentifier: "Note"),
      EntityDeclaration(
        "Note", attributes: [RenamingTests.syncID, .init("title", .string)], renamingIdentifier: identifier),
    ]
  }

  @Test(arguments: [nil, "Note.2"])
  func `what a new entity is called is not what had the name before`(identifier: String?) throws {
    let (former, present) = (
      try VersionedDevice("former", Self.titled), try VersionedDevice("present", Self.titled)
    )
    try former.insert("Note", "first")
    try present.upgrade(to: Self.memos(identifier), by: Self.titled)
    try present.insert("Memo", "memo")
    try present.insert("Note", "note")

    try VersionedDevice.synchronize(former, present)
    #expect(try former.object("Note", "note") == nil)
    #expect(try former.object("Note", "memo") != nil)
    try former.upgrade(to: Self.memos(identifier), by: Self.titled)
    try VersionedDevice.synchronize(former, present)

    for device in [former, present] {
      #expect(try device.count("Memo") == 2)
      #expect(try device.count("Note") == 1)
    }
  }
}
