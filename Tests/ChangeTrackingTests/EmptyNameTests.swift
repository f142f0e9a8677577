import ObjectStore
import Testing

@testable import ChangeTracking

/// Names of no letters stand for nothing: whoever has merged them could write no whole store for others.
@Suite struct EmptyNameTests {
  @Test(arguments: [
    EntityNames(name: "", root: "", properties: []), EntityNames(name: "Person", root: "", properties: []),
    EntityNames(name: "Person", root: "Person", properties: [.init(name: "", kind: .attribute)]),
    EntityNames(
      name: "Person", root: "Person", properties: [.init(name: "x", kind: .toOne(destination: ""))]),
  ])
  func `a set that names something by an empty text is refused`(names: EntityNames) throws {
    let device = try VersionedDevice(
      "device", [EntityDeclaration("Person", attributes: [RenamingTests.syncID])])
    var author = ScriptedAuthor(7, entities: names)
    let set = try author.set(Change("p", at: 1, .insert([])))

    let error = #expect(throws: ReplicaError.self) {
      // As it comes from storage.
      let received = ReceivedSet(set: try CompactCodec.decode(CompactCodec.encode(set.set)), hash: set.hash)
      _ = try device.replica.receive([received], policy: .always(.latest))
    }

    #expect(error?.code == .invalidSet)
  }

  @Test func `an empty former name says that something else bore the name before`() throws {
    let device = try VersionedDevice(
      "device", [EntityDeclaration("Person", attributes: [RenamingTests.syncID])])
    var author = ScriptedAuthor(
      7, entities: EntityNames(name: "Person", formerNames: [""], root: "Person", properties: []))

    let set = try author.set(Change("p", at: 1, .insert([])))

    #expect(throws: Never.self) { try device.replica.receive([set], policy: .always(.latest)) }
  }
}
