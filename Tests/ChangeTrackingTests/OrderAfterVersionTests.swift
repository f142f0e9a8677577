import ObjectStore
import Testing

@testable import ChangeTracking

/// Ordered relationships after a version of the model has come.
@Suite struct OrderAfterVersionTests {
  private static func model(isOrdered: Bool = true, _ more: AttributeDescription...) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Card", attributes: [RenamingTests.syncID] + more,
        relationships: [.toOne("box", to: "Box", inverse: "cards"), .toMany("friends", to: "Card")]),
      EntityDeclaration(
        "Box", attributes: [RenamingTests.syncID],
        relationships: [.toMany("cards", to: "Card", inverse: "box", isOrdered: isOrdered)]),
    ]
  }

  private static let next = model(isOrdered: true, .init("note", .string))

  private func cards(_ device: VersionedDevice) throws -> [String] {
    try device.object("Box", "b")?.members("cards").compactMap { member in
      if case .string(let id) = member[SyncModelKey.syncID] { id } else { nil }
    } ?? []
  }

  private func put(_ id: String, on device: VersionedDevice) throws {
    try device.insert("Card", id)
    try device.setTarget("Card", id, "box", device.object("Box", "b"))
  }

  @Test func `a list that becomes ordered has one order everywhere`() throws {
    let unordered = Self.model(isOrdered: false)
    let here = try VersionedDevice("here", unordered)
    let there = try VersionedDevice("there", unordered)
    try here.insert("Box", "b")
    try VersionedDevice.synchronize(here, there)
    for id in ["z", "m"] { try put(id, on: here) }
    for id in ["y", "a"] { try put(id, on: there) }
    try VersionedDevice.synchronize(here, there)

    for device in [here, there] { try device.upgrade(to: Self.model(), by: unordered) }
    let late = try VersionedDevice("late", Self.model())
    try VersionedDevice.synchronize(here, there, late)

    for device in [here, there, late] { #expect(try cards(device) == ["a", "m", "y", "z"]) }
  }

  @Test func `a member that an undo has brought back stays where it is when a version comes`() throws {
    let here = try VersionedDevice("here", Self.model())
    let there = try VersionedDevice("there", Self.model())
    try there.insert("Box", "b")
    try put("c", on: there)
    try VersionedDevice.synchronize(here, there)
    try there.edit { $0.delete(try #require(try there.object("Card", "c"))) }
    guard
      case .applied(let report) = try here.replica.apply(
        there.replica.push(), policy: .always(.latest), keepsInverse: true)
    else { return }
    try put("d", on: here)
    _ = try here.replica.undo(try #require(report.inverse))
    try VersionedDevice.synchronize(here, there)
    let before = try cards(here)
    #expect(try cards(there) == before)

    for device in [here, there] { try device.upgrade(to: Self.next, by: Self.model()) }
    try VersionedDevice.synchronize(here, there)

    for device in [here, there] { #expect(try cards(device) == before) }
  }

  @Test func `a row that another program has put into a list stays where it is when a version comes`() throws
  {
    let here = try VersionedDevice("here", Self.model())
    let there = try VersionedDevice("there", Self.model())
    try here.insert("Box", "b")
    try put("c", on: here)
    try VersionedDevice.synchronize(here, there)
    try here.context.store.newConnection().execute(
      script: """
        INSERT INTO ZCARD (Z_PK, Z_ENT, Z_OPT, ZBOX) SELECT Z_MAX + 1, Z_ENT, 1, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Card';
        UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_NAME = 'Card'
        """)
    try VersionedDevice.synchronize(here, there)
    let before = try cards(here)
    try #require(before.count == 2)
    #expect(try cards(there) == before)

    for device in [here, there] { try device.upgrade(to: Self.next, by: Self.model()) }
    try VersionedDevice.synchronize(here, there)

    for device in [here, there] { #expect(try cards(device) == before) }
  }
}
