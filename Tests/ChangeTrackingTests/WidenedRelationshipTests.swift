import ObjectStore
import Testing

@testable import ChangeTracking

/// A relationship to one object that a version makes one to many.
@Suite struct WidenedRelationshipTests {
  private static func model(isToMany: Bool, hasInverse: Bool) -> [EntityDeclaration] {
    let inverse = hasInverse ? "notes" : nil
    return [
      EntityDeclaration(
        "Note", attributes: [RenamingTests.syncID],
        relationships: [
          isToMany ? .toMany("tag", to: "Tag", inverse: inverse) : .toOne("tag", to: "Tag", inverse: inverse)
        ]),
      EntityDeclaration(
        "Tag", attributes: [RenamingTests.syncID],
        relationships: hasInverse ? [.toMany("notes", to: "Note", inverse: "tag")] : []),
    ]
  }

  private func tags(of note: String, on device: VersionedDevice) throws -> [AttributeValue] {
    let note = try #require(try device.object("Note", note))
    let index = try #require(note.entity.index(of: "tag"))
    return note.members(at: index).map { $0[SyncModelKey.syncID] }
  }

  /// A note with a tag, on one of two devices.
  private func related(_ model: [EntityDeclaration]) throws -> (one: VersionedDevice, late: VersionedDevice) {
    let one = try VersionedDevice("one", model)
    try one.insert("Note", "n")
    try one.insert("Tag", "t")
    try one.setTarget("Note", "n", "tag", one.object("Tag", "t"))
    return (one, try VersionedDevice("late", model))
  }

  @Test(arguments: [true, false], [true, false])
  func `what it led to is among the many, wherever somebody joins`(hasInverse: Bool, isSent: Bool) throws {
    let former = Self.model(isToMany: false, hasInverse: hasInverse)
    let present = Self.model(isToMany: true, hasInverse: hasInverse)
    let (one, late) = try related(former)
    if isSent { try VersionedDevice.synchronize(one, late) }

    try one.upgrade(to: present, by: former)
    let joined = try VersionedDevice("joined", present)
    try VersionedDevice.synchronize(one, joined, late)
    try late.upgrade(to: present, by: former)
    try VersionedDevice.synchronize(one, joined, late)

    for device in [one, joined, late] { #expect(try tags(of: "n", on: device) == [.string("t")]) }
  }

  @Test(arguments: [true, false])
  func `what was removed since does not come back because another device migrates`(hasInverse: Bool) throws {
    let former = Self.model(isToMany: false, hasInverse: hasInverse)
    let present = Self.model(isToMany: true, hasInverse: hasInverse)
    let (one, late) = try related(former)
    try VersionedDevice.synchronize(one, late)
    try one.upgrade(to: present, by: former)
    try VersionedDevice.synchronize(one, late)

    try one.edit { _ in
      let note = try #require(try one.object("Note", "n"))
      let tag = try #require(try one.object("Tag", "t"))
      let index = try #require(note.entity.index(of: "tag"))
      note.removeMember(tag, at: index)
    }
    try VersionedDevice.synchronize(one, late)
    try late.upgrade(to: present, by: former)
    try VersionedDevice.synchronize(one, late)

    for device in [one, late] { #expect(try tags(of: "n", on: device).isEmpty) }
  }
}
