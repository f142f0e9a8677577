import ObjectStore
import Testing

@testable import ChangeTracking

/// What is in the log is made into sets slice by slice, and an early slice mentions an object whose insertion is logged later.
@Suite struct SlicedInsertionTests {
  private static let model = [
    EntityDeclaration(
      "Shelf", attributes: [RenamingTests.syncID],
      relationships: [.init("things", to: "Thing", inverse: "shelf", isToMany: true, isOrdered: true)]),
    EntityDeclaration(
      "Thing",
      attributes: [
        RenamingTests.syncID, .init("title", .string),
        .init("votes", .integer64, defaultValue: .integer(0), userInfo: .merging(.counter)),
      ],
      relationships: [.init("shelf", to: "Shelf", inverse: "things", isToMany: false)]),
  ]

  @Test(arguments: [1, 2, 3, 10_000])
  func `an insertion is said once, and counts once, though a list is looked at before it comes in the log`(
    setLimit: Int
  ) throws {
    let here = try VersionedDevice("here", Self.model, setLimit: setLimit)
    let there = try VersionedDevice("there", Self.model)
    try here.insert("Shelf", "a")
    for number in 0..<4 {
      try here.insert("Thing", "t\(number)")
      try here.setTarget("Thing", "t\(number)", "shelf", here.object("Shelf", "a"))
    }
    try VersionedDevice.synchronize(here, there)

    try here.edit { _ in
      let shelf = try #require(try here.object("Shelf", "a"))
      shelf.setMembers(shelf.members("things").reversed(), "things")
    }
    for number in 0..<4 { try here.set("Thing", "t\(number)", "title", .string("edited")) }
    try here.edit { context in
      let thing = try context.insert(entity: "Thing")
      thing[SyncModelKey.syncID] = .string("new")
      thing["votes"] = .integer(3)
      thing.setTarget(try here.object("Shelf", "a"), "shelf")
    }
    let sets = try here.replica.push()
    _ = try there.replica.receive(sets, policy: .always(.latest))

    let insertions = sets.flatMap(\.set.changes).filter { change in
      if case .insert = change.action { change.object == .text("new") } else { false }
    }
    #expect(insertions.count == 1)
    #expect(try here.value("Thing", "new", "votes") == .integer(3))
    #expect(try there.value("Thing", "new", "votes") == .integer(3))
  }

  @Test func `what a program writes by replacing a row, and logs as an insertion, is said`() throws {
    let (here, there) = (try VersionedDevice("here", Self.model), try VersionedDevice("there", Self.model))
    try here.insert("Thing", "t", ["title": .string("old"), "votes": .integer(3)])
    try VersionedDevice.synchronize(here, there)
    let connection = here.replica.connection
    here.clock.advance(1_000)
    let entity = try #require(try here.replica.begin { $0.cells.names.existingNumber(of: "Thing") })
    try connection.transaction {
      guard case .integer(let row)? = try connection.first("SELECT Z_PK FROM ZTHING") else { return }
      try connection.run("UPDATE ZTHING SET ZTITLE = 'new', ZVOTES = 5")
      try ChangeLog(connection: connection).appendInsertion(
        entity: entity, row: RowNumber(rawValue: row),
        time: ChangeLog.nextTime(connection, now: here.clock.milliseconds))
    }

    try there.receive(from: here)

    #expect(try there.text("Thing", "t", "title") == "new")
    #expect(try there.value("Thing", "t", "votes") == .integer(5))
  }
}
