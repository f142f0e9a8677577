import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

@Suite struct FailedTransactionTests {
  @Test func `a merge that fails while it reads does not stand in the way of the next one`() throws {
    // Given an object that was edited here after somebody has deleted it, and something that nobody can read.
    let device = try VersionedDevice(
      "device", [EntityDeclaration("Card", attributes: [RenamingTests.syncID, .init("name", .string)])])
    let names = EntityNames(
      name: "Card", root: "Card", properties: [.init(name: "name", kind: .attribute)])
    var author = ScriptedAuthor(7, entities: names)
    _ = try device.replica.receive(
      [author.set(Change("c", at: 1, .insert([])))], policy: .always(.latest))
    try device.set("Card", "c", "name", .string("edited"))
    try device.replica.freeze()
    let deletion = try author.set(Change("c", at: 5, .delete))
    let other = try Connection(path: device.replica.storePath)
    try other.run("INSERT INTO TICDS_VALUE SELECT id, bit, x'ff', 0 FROM TICDS_OBJECT, TICDS_PROPERTY")

    #expect(throws: ReplicaError.self) {
      try device.replica.receive([deletion], policy: .always(.latest))
    }
    // When another connection has mended it.
    try other.run("DELETE FROM TICDS_VALUE")
    _ = try device.replica.receive([deletion], policy: .always(.latest))

    #expect(try device.count("Card") == 0)
  }
}
