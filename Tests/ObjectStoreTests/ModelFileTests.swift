import ByteFixtures
import CoreDataFormats
import Foundation
import ObjectStore
import SampleFiles
import TemporaryFolders
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

/// Bundles of models, made by the tests themselves.
@Suite struct ModelBundleTests {
  static func xml(_ entity: String) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="\(entity)"><attribute name="title" optional="YES" attributeType="String" defaultValueString="a &lt; b"
          regularExpressionString="a.*" maxValueString="9"/>
          <attribute name="day" optional="YES" attributeType="Date" defaultDateTimeInterval="0.5"/>
          <attribute name="count" attributeType="Integer 16" minValueString="-3" defaultValueString="2" elementID="number"/>
          <userInfo><entry key="k" value="v"/></userInfo></entity>
      </model>
      """.utf8)
  }

  private func bundle(_ files: [String: Data], _ body: (URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      for (name, content) in files {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
      }
      try body(folder)
    }
  }

  @Test func `the current version of a source bundle is taken`() throws {
    let current = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "B.xcdatamodel"], format: .xml, options: 0)
    let files = [
      "A.xcdatamodel/contents": Self.xml("Old"), "B.xcdatamodel/contents": Self.xml("New"),
      ".xccurrentversion": current,
    ]
    try bundle(files) { folder in
      let model = try ManagedObjectModel(contentsOf: folder)

      #expect(model.entities.map(\.name) == ["New"])
    }
  }

  @Test func `a bundle that does not say which version is current is refused with their names`() throws {
    try bundle(["A.xcdatamodel/contents": Self.xml("Old"), "B.xcdatamodel/contents": Self.xml("New")]) {
      folder in
      let error = #expect(throws: ModelFileError.self) { try ManagedObjectModel(contentsOf: folder) }

      #expect(error?.code == .ambiguous)
      #expect(error?.message.contains("A.xcdatamodel, B.xcdatamodel") == true)
    }
  }

  @Test(.needsSamples) func `the current version of a compiled bundle is taken`() throws {
    let version = BinaryPropertyList.encode(
      .dictionary(["NSManagedObjectModel_CurrentVersionName": .string("M 2")]))
    let compiled = Data(try Samples.bytes("models/ensembles_CDEMigratedTestsModel.mom"))
    try bundle(["M.mom": Data(), "M 2.mom": compiled, "VersionInfo.plist": Data(version)]) { folder in
      let model = try ManagedObjectModel(contentsOf: folder)

      #expect(model.entities.count == 12)
    }
  }

  @Test func `defaults, bounds and notes are read, and written again`() throws {
    let model = try ManagedObjectModel(modelFile: Array(Self.xml("Note")))
    let again = try ManagedObjectModel(modelFile: Array(model.xml.utf8))

    for model in [model, again] {
      let note = try #require(model.entity(named: "Note"))
      let title = try #require(note.property(named: "title")?.asAttribute)
      let count = try #require(note.property(named: "count")?.asAttribute)
      #expect(note.userInfo == ["k": "v"])
      #expect(title.defaultValue == .string("a < b"))
      #expect(title.validation == AttributeValidation(maximumLength: 9, pattern: "a.*"))
      #expect(note.property(named: "day")?.asAttribute?.defaultValue == .date(0.5))
      #expect(count.defaultValue == .integer(2))
      #expect(count.validation.minimum == .integer(-3))
      #expect(count.renamingIdentifier == "number")
      #expect(!count.isOptional)
    }
    #expect(model.versionHashes == again.versionHashes)
  }

  @Test(arguments: [
    ("<model><entity/></model>", "“name” is missing"), ("<model>", "not well-formed"),
    ("<plist/>", "no <model>"),
    (
      "<model><entity name='A'><attribute name='a' attributeType='Text'/></entity></model>",
      "no attribute type"
    ),
    (
      "<model><entity name='A'><relationship name='a' destinationEntity='B'/></entity></model>",
      "not in the model"
    ),
    ("hello", "neither a compiled model"), ("", "neither a compiled model"),
  ])
  func `a mistake is named`(text: String, words: String) {
    let error = #expect(throws: ModelFileError.self) { try ManagedObjectModel(modelFile: Array(text.utf8)) }

    #expect(error?.description.contains(words) == true)
  }
}
