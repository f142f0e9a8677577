import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Whether rows came since sets were last made is read without the names.
@Suite struct FrontierTests {
  private static let family = [
    EntityDeclaration("Cat", attributes: [RenamingTests.syncID, .init("name", .string)]),
    EntityDeclaration("Kitten", parent: "Cat", attributes: [.init("age", .integer64)]),
    EntityDeclaration("Dog", attributes: [RenamingTests.syncID]),
  ]

  private func expectTheSame(_ device: VersionedDevice) throws {
    let store = device.replica.store
    let names = try NameTable(connection: store.connection, schema: store.schema)
    let (frontiers, known) = (try Frontiers(of: store), Frontiers(names, of: store))
    for entity in store.schema.localEntities { #expect(frontiers[entity] == known[entity]) }
  }

  @Test func `frontiers are the same with and without the names, also of a family that changes`() throws {
    let device = try VersionedDevice("device", Self.family)
    try expectTheSame(device)
    for id in ["d1", "d2"] { try device.insert("Dog", id) }
    try device.insert("Kitten", "k")
    #expect(try device.replica.hasUnfrozenChanges)
    try device.push()
    #expect(try !device.replica.hasUnfrozenChanges)
    try expectTheSame(device)
    var after = Self.family
    after[1].parent = "Dog"
    try device.upgrade(to: after)
    try device.insert("Kitten", "l")
    try expectTheSame(device)
  }

  @Test func `what another connection has noted counts at once, and what was taken back does not`() throws {
    let device = try VersionedDevice("device", Self.family)
    let store = device.replica.store
    let other = try Connection(path: store.connection.path)
    let dog = try #require(store.schema.localEntities.last)
    try other.run("UPDATE TICDS_ENTITY SET frontier = 7 WHERE local = ?", .integer(Int64(dog.rawValue)))
    #expect(try Frontiers(of: store)[dog] == RowNumber(rawValue: 7))
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try store.connection.transaction {
        try store.connection.run("UPDATE TICDS_ENTITY SET frontier = 9")
        #expect(try Frontiers(of: store)[dog] == RowNumber(rawValue: 9))
        throw Failure()
      }
    }
    #expect(try Frontiers(of: store)[dog] == RowNumber(rawValue: 7))
  }

  @Test func `names that lack an entity of the model are damaged`() throws {
    let device = try VersionedDevice("device", Self.family)
    let store = device.replica.store
    try store.connection.run("UPDATE TICDS_ENTITY SET local = NULL WHERE local = 0")
    let error = #expect(throws: ReplicaError.self) { try device.replica.hasUnfrozenChanges }
    #expect(error?.code == .damagedBookkeeping)
  }
}
