import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// A device with a former version of the model merges a whole store of a later one.
@Suite struct LaterCopyTests {
  private static func version(isLater: Bool) -> [EntityDeclaration] {
    let (all, one) = isLater ? ("aq1", "ap1") : ("q1", "p1")
    return [
      EntityDeclaration("B", attributes: [RenamingTests.syncID, .init("bx", .string)]),
      EntityDeclaration(
        "D", parent: isLater ? "B" : nil, isAbstract: true,
        attributes: (isLater ? [] : [RenamingTests.syncID]) + [.init("dkey", .string)],
        relationships: [
          .init(all, to: "D1", inverse: one, isToMany: true, isOrdered: true, renamingIdentifier: "q1")
        ]),
      EntityDeclaration(
        "D1", parent: "D",
        relationships: [
          .init(
            isLater ? "aq0" : "q0", to: "D1", inverse: "p0", isToMany: true, isOrdered: true,
            renamingIdentifier: "q0"),
          .init("p0", to: "D1", inverse: isLater ? "aq0" : "q0", isToMany: true, isOrdered: true),
          .init(one, to: "D", inverse: all, isToMany: false, renamingIdentifier: "p1"),
          .init("p3", to: "D1", inverse: nil, isToMany: false),
        ]),
    ]
  }

  @Test(arguments: [false, true], [false, true])
  func `a relationship goes on when its family is another one in the copy`(
    isInCopy: Bool, hasOthers: Bool
  ) throws {
    let one = try VersionedDevice("one", Self.version(isLater: false))
    let two = try VersionedDevice("two", Self.version(isLater: false))
    try one.insert("D1", "x")
    try one.setTarget("D1", "x", "p1", one.object("D1", "x"))
    if isInCopy { try VersionedDevice.synchronize(one, two) }
    if hasOthers { try two.insert("D1", "y") }
    try two.upgrade(to: Self.version(isLater: true), by: Self.version(isLater: false))
    let folder = try TemporaryFolder()
    _ = try two.replica.snapshot(to: folder.file("copy"))

    let outcome = try one.replica.mergeCopy(
      at: folder.file("copy"), policy: .always(.latest), along: { _, _, _ in })
    guard case .merged = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try one.target("D1", "x", "p1") == "x")
    try one.upgrade(to: Self.version(isLater: true), by: Self.version(isLater: false))
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try device.target("D1", "x", "ap1") == "x") }
    #expect(try one.object("D1", "y") != nil || !hasOthers)
  }
}
