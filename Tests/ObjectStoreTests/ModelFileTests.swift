import ByteFixtures
import CoreDataFormats
import Foundation
import ObjectStore
import SampleFiles
import Testing

/// Models published by other projects, and the version hashes that their stores or compilers recorded.
@Suite(.needsSamples) struct ModelFileSampleTests {
  static func model(_ name: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOf: Samples.url("models/\(name)"))
  }

  @Test(arguments: [
    // Source models of BrowserServicesKit and of Wire's data model, and the archives of Apple's CoreDataBooks example.
    ("ddg_BookmarksModel_4.contents.xml", "ddg_Bookmarks_V4.sqlite", 1),
    ("ddg_SyncMetadata_3.contents.xml", "ddg_SyncMetadata_V3.sqlite", 2),
    ("wire_zmessaging2.101.0.contents.xml", "wire_store2-101-0.wiredatabase", 24),
    ("apple_CoreDataBooks.elements", "apple_CoreDataBooks.CDBStore", 1),
    ("xcake_CoreDataBooks_2.elements", "xcake_CoreDataBooks.CDBStore", 1),
  ])
  func `a source model has the hashes of its store`(model name: String, store: String, count: Int) throws {
    let store = try SampleStore(store)
    defer { store.remove() }

    let model = try Self.model(name)

    #expect(model.entities.count == count)
    #expect(try model.versionHashes == store.versionHashes())
  }

  /// The hashes that Xcode's compiler published for both versions of the Ensembles test model.
  static func publishedHashes() throws -> [String: [UInt8]] {
    let info = try BinaryPropertyList.decode(
      Samples.bytes("models/ensembles_CDEMigratedTestsModel.VersionInfo.plist"))
    let versions = try #require(info.dictionaryValue?["NSManagedObjectModel_VersionHashes"]?.dictionaryValue)
    return try #require(versions["CDEMigratedTestsModel"]?.dictionaryValue).compactMapValues(\.dataValue)
  }

  @Test(arguments: ["ensembles_CDEMigratedTestsModel.contents.xml", "ensembles_CDEMigratedTestsModel.mom"])
  func `source and compiled model have the hashes that the compiler published`(name: String) throws {
    #expect(try Self.model(name).versionHashes == Self.publishedHashes())
  }

  @Test func `source and compiled model say the same`() throws {
    let source = try Self.model("ensembles_CDEMigratedTestsModel.contents.xml")
    let compiled = try Self.model("ensembles_CDEMigratedTestsModel.mom")

    #expect(source.versionIdentifiers == compiled.versionIdentifiers)
    for (left, right) in zip(source.entities, compiled.entities) {
      #expect(left.name == right.name)
      #expect(left.properties == right.properties)
      #expect(left.userInfo == right.userInfo)
      #expect(left.parent?.name == right.parent?.name)
    }
  }

  @Test(arguments: SampleStore.names)
  func `the model that a store keeps of itself has the store's hashes`(name: String) throws {
    let store = try SampleStore(name)
    defer { store.remove() }
    guard let cache = try store.modelCache() else { return }

    let model = try ManagedObjectModel(modelCache: cache)

    // Persistent history has entities of its own, which are not in the cached model.
    let recorded = try store.versionHashes().filter { model.entity(named: $0.key) != nil }
    #expect(!recorded.isEmpty)
    #expect(model.versionHashes == recorded)
  }

  @Test func `a damaged model gives an error or a model`() throws {
    var generator = SeededGenerator(seed: 11)
    for name in [
      "ensembles_CDEMigratedTestsModel.mom", "apple_CoreDataBooks.elements",
      "ddg_SyncMetadata_3.contents.xml",
    ] {
      let original = try Samples.bytes("models/\(name)")
      var refused = 0
      for _ in 0..<300 {
        var bytes = original
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
        do throws(ModelFileError) { _ = try ManagedObjectModel(modelFile: bytes) } catch { refused += 1 }
      }
      #expect(refused > 10)
    }
  }
}
