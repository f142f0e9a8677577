import ObjectStore
import Testing

@testable import ChangeTracking

/// Whoever undoes a deletion that was saved means that nothing has happened: what led to the object leads to it again, but for what somebody has
/// given another target meanwhile.
@Suite struct UndoneDeletionTests {
  private static let model = [
    EntityDeclaration(
      "Shelf", attributes: [RenamingTests.syncID],
      relationships: [.init("things", to: "Thing", inverse: "shelf", isToMany: true)]),
    EntityDeclaration(
      "Thing", attributes: [RenamingTests.syncID],
      relationships: [
        .init("shelf", to: "Shelf", inverse: "things", isToMany: false),
        .init("mate", to: "Thing", inverse: "mate", isToMany: false),
        .init("origin", to: "Shelf", inverse: nil, isToMany: false),
      ]),
  ]

  /// What happens between the deletion and its being undone.
  enum Between: CaseIterable {
    case nothing, freeze, push
  }

  private let one: VersionedDevice
  private let two: VersionedDevice

  /// Two devices with things in shelf a, one of them in a pair, and another shelf.
  init() throws {
    one = try VersionedDevice("one", Self.model)
    two = try VersionedDevice("two", Self.model)
    for id in ["a", "b"] { try one.insert("Shelf", id) }
    for id in ["lamp", "vase", "jar"] {
      try one.insert("Thing", id)
      for name in ["shelf", "origin"] { try one.setTarget("Thing", id, name, one.object("Shelf", "a")) }
    }
    try one.setTarget("Thing", "lamp", "mate", one.object("Thing", "vase"))
    try VersionedDevice.synchronize(one, two)
  }

  private func deleteAndUndo(_ entity: String, _ id: String, _ between: Between) throws {
    one.context.undoIsEnabled = true
    try one.edit { context in context.delete(try #require(try one.object(entity, id))) }
    switch between {
    case .nothing: break
    case .freeze: try one.replica.freeze()
    case .push: try one.push()
    }
    try one.edit { context in context.undo() }
  }

  private func exchange() throws {
    for _ in 0..<2 { try VersionedDevice.synchronize(one, two) }
  }

  @Test(arguments: Between.allCases, [false, true])
  func `what was in a place that comes back is there, but for what somebody has moved meanwhile`(
    between: Between, isMovedFirst: Bool
  ) throws {
    (isMovedFirst ? one : two).clock.advance(60_000)
    for name in ["shelf", "origin"] { try two.setTarget("Thing", "lamp", name, two.object("Shelf", "b")) }
    try deleteAndUndo("Shelf", "a", between)

    try exchange()

    for device in [one, two] {
      #expect(try device.members("Shelf", "a", "things") == ["vase", "jar"])
      for name in ["shelf", "origin"] { #expect(try device.target("Thing", "lamp", name) == "b") }
      #expect(try device.target("Thing", "vase", "origin") == "a")
    }
  }

  @Test(arguments: Between.allCases)
  func `who lost a partner that comes back keeps the one that he was given meanwhile`(between: Between) throws
  {
    one.clock.advance(60_000)
    try two.setTarget("Thing", "vase", "mate", two.object("Thing", "jar"))
    try deleteAndUndo("Thing", "lamp", between)

    try exchange()

    for device in [one, two] {
      #expect(try device.target("Thing", "vase", "mate") == "jar")
      #expect(try device.target("Thing", "jar", "mate") == "vase")
      #expect(try device.target("Thing", "lamp", "mate") == nil)
    }
  }

  @Test func `what was moved by a merge since the deletion stays where it is when that is undone`() throws {
    one.context.undoIsEnabled = true
    for name in ["shelf", "origin"] { try two.setTarget("Thing", "lamp", name, two.object("Shelf", "b")) }
    try one.edit { context in context.delete(try #require(try one.object("Shelf", "a"))) }
    try one.receive(from: two)
    try one.edit { context in context.undo() }

    try exchange()

    for device in [one, two] {
      #expect(try device.members("Shelf", "a", "things") == ["vase", "jar"])
      for name in ["shelf", "origin"] { #expect(try device.target("Thing", "lamp", name) == "b") }
    }
  }

  @Test func `what the user puts into a place that comes back, before it is saved, is a move like others`()
    throws
  {
    try one.setTarget("Thing", "jar", "shelf", one.object("Shelf", "b"))
    try exchange()
    one.context.undoIsEnabled = true
    try one.edit { context in context.delete(try #require(try one.object("Shelf", "a"))) }
    try two.setTarget("Thing", "jar", "shelf", nil)
    one.clock.advance(60_000)
    try one.edit { context in
      context.undo()
      try one.object("Thing", "jar")?.setTarget(try one.object("Shelf", "a"), "shelf")
    }

    try exchange()

    for device in [one, two] { #expect(try device.target("Thing", "jar", "shelf") == "a") }
  }

  @Test(arguments: [false, true])
  func `what others have brought back already comes back once, as they have it`(isUndoneFirst: Bool) throws {
    one.context.undoIsEnabled = true
    two.context.undoIsEnabled = true
    try one.edit { context in context.delete(try #require(try one.object("Shelf", "a"))) }
    try two.edit { context in context.delete(try #require(try two.object("Shelf", "a"))) }
    try exchange()
    try two.edit { context in context.undo() }
    one.clock.advance(60_000)
    if isUndoneFirst { one.context.undo() }
    try one.receive(from: two)
    try one.edit { context in
      if !isUndoneFirst { context.undo() }
      if !context.hasChanges { try one.object("Thing", "jar")?.setTarget(nil, "mate") }
    }

    try exchange()

    for device in [one, two] {
      #expect(try device.count("Shelf") == 2)
      #expect(try device.object("Shelf", "a") != nil)
      #expect(try device.members("Shelf", "a", "things") == ["lamp", "vase", "jar"])
    }
  }

  @Test func `a deletion that is undone, done again and undone again changes nothing`() throws {
    one.context.undoIsEnabled = true
    try one.edit { context in context.delete(try #require(try one.object("Shelf", "a"))) }
    for _ in 0..<2 {
      try one.edit { context in context.undo() }
      try one.edit { context in context.redo() }
    }
    try one.edit { context in context.undo() }

    try exchange()

    for device in [one, two] {
      #expect(try device.members("Shelf", "a", "things") == ["lamp", "vase", "jar"])
    }
  }
}
