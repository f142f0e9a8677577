import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// A new version of the model wants values to be unique that several devices have written already.
@Suite struct NewConstraintTests {
  private static func version(isUnique: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Tag",
        attributes: [
          .init("ticdsSyncID", .string, isIndexed: true), .init("code", .string), .init("color", .string),
        ], uniquenessConstraints: isUnique ? [["code"]] : [])
    ]
  }

  private let here: VersionedDevice
  private let there: VersionedDevice

  /// Two devices on which three tags have one code.
  init() throws {
    here = try VersionedDevice("here", Self.version(isUnique: false))
    there = try VersionedDevice("there", Self.version(isUnique: false))
    try here.insert("Tag", "first", ["code": .string("x")])
    try there.insert("Tag", "second", ["code": .string("x")])
    there.clock.advance(60_000)
    try there.insert("Tag", "third", ["code": .string("x")])
    try VersionedDevice.synchronize(here, there)
  }

  private func codes(_ device: VersionedDevice) throws -> [String?] {
    try ["first", "second", "third"].map { try device.text("Tag", $0, "code") }
  }

  @Test func `the migration goes through, and what was written last shows on every device`() throws {
    try here.upgrade(to: Self.version(isUnique: true))
    #expect(try codes(here) == [nil, nil, "x"])

    try there.upgrade(to: Self.version(isUnique: true))
    try VersionedDevice.synchronize(here, there)

    #expect(try codes(there) == [nil, nil, "x"])
    #expect(try codes(here) == [nil, nil, "x"])
  }

  @Test func `once settled, the file itself keeps the constraint`() throws {
    try here.upgrade(to: Self.version(isUnique: true))

    let unique = try here.context.store.newConnection().first(
      "SELECT count(*) FROM sqlite_master WHERE name = 'Z_Tag_UNIQUE_code'")
    #expect(unique == .integer(1))
  }

  @Test func `a value that gave way shows again when it is free`() throws {
    try here.upgrade(to: Self.version(isUnique: true))
    try here.set("Tag", "third", "code", .string("y"))
    try here.push()
    #expect(try codes(here) == [nil, "x", "y"])
  }

  private static func family(isUnique: Bool) -> [EntityDeclaration] {
    version(isUnique: isUnique) + [
      EntityDeclaration("Early", parent: "Tag", attributes: []),
      EntityDeclaration("Late", parent: "Tag", attributes: []),
    ]
  }

  @Test func `of objects of several entities of a family only the one that was written last shows a value`()
    throws
  {
    let device = try VersionedDevice("family", Self.family(isUnique: false))
    for (entity, id) in [("Late", "a"), ("Late", "b"), ("Tag", "c"), ("Early", "d")] {
      try device.insert(entity, id, ["code": .string("x")])
    }
    try device.push()

    try device.upgrade(to: Self.family(isUnique: true))

    #expect(try ["a", "b", "c", "d"].map { try device.text("Tag", $0, "code") } == [nil, nil, nil, "x"])
  }

  @Test func `what was not in a set yet when the model changed is settled with it`() throws {
    here.clock.advance(120_000)
    try here.set("Tag", "first", "code", .string("z"))
    try here.set("Tag", "first", "code", .string("x"))
    try here.upgrade(to: Self.version(isUnique: true))

    try VersionedDevice.synchronize(here, there)

    #expect(try codes(here) == ["x", nil, nil])
    #expect(try codes(there) == ["x", "x", "x"])
    try there.upgrade(to: Self.version(isUnique: true))
    #expect(try codes(there) == ["x", nil, nil])
  }
}
