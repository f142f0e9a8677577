import LocalStoreConformance
import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// The conformance suite finds what is wrong with a store.
@Suite struct StoreFlawTests {
  @Test(arguments: StoreFlaw.all) func `the law finds the mistake`(_ flaw: StoreFlaw) throws {
    let folder = try TemporaryFolder()
    let law = try #require(LocalStoreConformance.laws.first { $0.description.hasPrefix(flaw.law) })
    func make() throws -> any LocalStore {
      let path = folder.file("\(UInt64.random(in: 0 ... .max))")
      return try ManagedLocalStore(store: PersistentStore(model: flaw.model.model(), path: path))
    }
    func open(_ path: String) throws -> any LocalStore {
      try ManagedLocalStore(store: PersistentStore(model: flaw.model.model(), path: path))
    }
    // Without the mistake, the law is kept.
    let sound = try law.verify { ConformanceStore(try make(), abstractEntities: ["Item"], openCopy: open) }
    #expect(sound == .kept)
    #expect(throws: (any Error).self) {
      try law.verify {
        ConformanceStore(flaw.flawed.init(try make()), abstractEntities: ["Item"], openCopy: open)
      }
    }
  }

  @Test func `a store that names an entity outside its schema is refused with an error that says so`() throws
  {
    let folder = try TemporaryFolder()
    let law = try #require(
      LocalStoreConformance.laws.first { $0.description.hasPrefix("what is recorded here") })
    let error = #expect(throws: ReplicaError.self) {
      try law.verify {
        let path = folder.file("\(UInt64.random(in: 0 ... .max))")
        let store = try PersistentStore(model: ConformanceModel.relationships.model(), path: path)
        return ConformanceStore(OutsideSchema(try ManagedLocalStore(store: store)))
      }
    }
    #expect(error?.code == .unknownEntity)
    #expect(error?.description.contains("entity 99, but its schema has 4") == true)
  }

  @Test func `there is a mistake for every law`() {
    let laws = LocalStoreConformance.laws.map(\.description).filter { law in
      !StoreFlaw.all.contains { law.hasPrefix($0.law) }
    }
    #expect(laws == ["a set that arrives again changes nothing"])
  }
}
