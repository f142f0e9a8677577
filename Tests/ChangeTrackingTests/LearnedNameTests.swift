import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Names of which others have told contradictory things, and that a version of the local model brings then.
@Suite struct LearnedNameTests {
  private static func model(isNew: Bool) -> [EntityDeclaration] {
    let a: [AttributeDescription] = ["code", "title"].map { .init($0, .string) }
    let old = [
      EntityDeclaration(
        "A",
        attributes: [RenamingTests.syncID] + a + (isNew ? [.init("u", .integer64), .init("w", .string)] : [])),
      EntityDeclaration("B", attributes: [RenamingTests.syncID]),
    ]
    return isNew
      ? old + [EntityDeclaration("X", attributes: [RenamingTests.syncID, .init("v", .integer64)])] : old
  }

  private static func entity(_ name: String, _ former: [String] = [], _ properties: [(String, [String])] = [])
    -> EntityNames
  {
    EntityNames(
      name: name, formerNames: former, root: name,
      properties: properties.map { .init(name: $0.0, formerNames: $0.1, kind: .attribute) })
  }

  @Test(arguments: [
    [[entity("B", ["X"]), entity("X")], [entity("X", ["A"])]],
    [[entity("Y", [], [("u", []), ("title", ["u"])])], [entity("Y", ["A"], [("v", ["code", "u"])])]],
  ])
  func `whatever sets say of names, a whole store can be written under a later version`(sets: [[EntityNames]])
    throws
  {
    let device = try VersionedDevice("device", Self.model(isNew: false))
    for (number, names) in sets.enumerated() {
      let set = ChangeSet(
        author: AuthorID(bits: UInt64(50 + number)), client: "scripted", sequence: 1, previous: nil,
        model: "m",
        entities: names,
        changes: names.indices.map {
          Change(
            entity: ChangeSet.EntityIndex(rawValue: $0), object: "o", time: LogicalTime(milliseconds: 1),
            action: .insert([]))
        })
      let hash = ContentHash(of: try CompactCodec.encode(set))
      _ = try device.replica.receive([ReceivedSet(set: set, hash: hash)], policy: .always(.latest))
    }
    let folder = try TemporaryFolder()
    _ = try device.replica.snapshot(to: folder.file("before.sqlite"), keepingRemoteNotes: [])
    try device.upgrade(to: Self.model(isNew: true), by: Self.model(isNew: false))
    try device.push()
    #expect(throws: Never.self) {
      try device.replica.snapshot(to: folder.file("after.sqlite"), keepingRemoteNotes: [])
    }
  }
}
