import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Snapshots of a store that has edits to send, and so has not shown yet what its new version of the model knows.
@Suite struct UnlearnedSnapshotTests {
  private static func model(hasStamps: Bool) -> [EntityDeclaration] {
    [EntityDeclaration("Letter", attributes: [RenamingTests.syncID, .init("text", .string)])]
      + (hasStamps
        ? [EntityDeclaration("Stamp", attributes: [RenamingTests.syncID, .init("value", .integer64)])] : [])
  }

  @Test
  func `a snapshot is whole, and who joins with one has the objects of an entity that the version brought`()
    throws
  {
    let here = try VersionedDevice("here", Self.model(hasStamps: false))
    let there = try VersionedDevice("there", Self.model(hasStamps: true))
    try there.insert("Stamp", "s", ["value": .integer(80)])
    try here.insert("Letter", "l")
    try VersionedDevice.synchronize(here, there)
    try here.set("Letter", "l", "text", .string("edited"))
    try here.upgrade(to: Self.model(hasStamps: true))

    let folder = try TemporaryFolder()
    _ = try here.replica.snapshot(to: folder.file("copy"), keepingRemoteNotes: [])
    let joining = try VersionedDevice("joining", snapshotOf: here, Self.model(hasStamps: true))
    try joining.push()
    for device in [here, there] { try joining.receive(from: device) }

    #expect(try joining.value("Stamp", "s", "value") == .integer(80))
    #expect(try joining.value("Letter", "l", "text") == .string("edited"))
  }
}
