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

  private static func cards(isOneFamily: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration("Card", attributes: [RenamingTests.syncID, .init("number", .integer64)]),
      EntityDeclaration(
        "Badge", parent: isOneFamily ? "Card" : nil,
        attributes: (isOneFamily ? [] : [RenamingTests.syncID]) + [.init("colour", .string)]),
    ]
  }

  @Test(arguments: [true, false])
  func `what an object has that is one with another in the copy stays when it becomes one with that here`(
    isBadgeLater: Bool
  ) throws {
    let devices = try ["one", "two"].map { try VersionedDevice($0, Self.cards(isOneFamily: false)) }
    let (one, two) = (devices[0], devices[1])
    for entity in isBadgeLater ? ["Card", "Badge"] : ["Badge", "Card"] {
      try one.insert(
        entity, "x", entity == "Card" ? ["number": .integer(2)] : ["colour": .string("red")])
    }
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: Self.cards(isOneFamily: true))
    try two.push()
    let folder = try TemporaryFolder()
    _ = try two.replica.snapshot(to: folder.file("copy"))
    let outcome = try one.replica.mergeCopy(
      at: folder.file("copy"), policy: .always(.latest), along: { _, _, _ in })
    guard case .merged = outcome else {
      Issue.record("\(outcome)")
      return
    }

    try one.upgrade(to: Self.cards(isOneFamily: true))
    for _ in 0..<2 { try VersionedDevice.synchronize(one, two) }

    for device in devices {
      let cards = try device.objects("Card")
      #expect(cards.map(\.entity.name) == [isBadgeLater ? "Badge" : "Card"])
      #expect(cards.first?["number"] == .integer(2))
      if isBadgeLater { #expect(cards.first?["colour"] == .string("red")) }
    }
  }
}
