import Foundation
import ProcessTesting
import TICDSSQLite
import SampleFiles
import TemporaryFolders
import Testing

@testable import ObjectStore

/// Models as Core Data's compiler and its caches hold them, compared with those that Core Data made by a reader that shares
/// nothing with this library: `compiled_model.py`.
@Suite struct CompiledModelTests {
  static let cached = [
    "sqlite/ddg_Bookmarks_V1.sqlite", "sqlite/ddg_Bookmarks_V4.sqlite", "sqlite/ddg_SyncMetadata_V3.sqlite",
    "sqlite/plaso_Accounts3.sqlite", "sqlite/plaso_IMODb2.sqlite", "sqlite/plaso_knowledgec-10.13.db",
    "sqlite/plaso_netusage.sqlite", "sqlite/wire_store2-101-0.wiredatabase",
    "sqlite/wire_store2-4.wiredatabase",
    "evidence/coredataplus_SampleModel2V1.sqlite", "evidence/coredataplus_SampleModel2_V2.sqlite",
    "evidence/coredataplus_SampleModel_V2.sqlite", "evidence/plaso_DataUsage.sqlite",
  ]

  @Test(arguments: cached)
  func `a new store keeps of a model what Core Data keeps of it`(name: String) async throws {
    let sample = try SampleStore(path: name)
    defer { sample.remove() }
    let cache = try #require(try sample.modelCache())
    let path = sample.folder.appending(path: "new").path

    _ = try PersistentStore(model: ManagedObjectModel(modelCache: cache), path: path)

    try await expectAlike(path, sample.file.path)
  }

  @Test func `a model compiles to what the compiler made of it`() async throws {
    let compiled = try Samples.url("models/ensembles_CDEMigratedTestsModel.mom")
    let source = try Samples.url("models/ensembles_CDEMigratedTestsModel.contents.xml")
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "Model.mom")

    try Data(ManagedObjectModel(contentsOf: source).compiled).write(to: file)

    try await expectAlike(file.path, compiled.path)
  }

  @Test(arguments: 0..<60)
  func `a compiled model says all that the model does`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let model = try Self.model(using: &random)

    let compiled = try ManagedObjectModel(modelFile: model.compiled)
    let cached = try ManagedObjectModel(modelCache: model.modelCache())

    for read in [compiled, cached] {
      #expect(read.versionHashes == model.versionHashes)
      #expect(read.versionIdentifiers == model.versionIdentifiers)
      #expect(read.entities.map(Described.init) == model.entities.map(Described.init))
    }
  }

  @Test func `a store that was copied keeps the cache that it has, with what only Core Data knows`() throws {
    let sample = try SampleStore(path: "evidence/coredataplus_SampleModel2_V2.sqlite")
    defer { sample.remove() }
    let path = sample.folder.appending(path: "copy").path

    try StoreFile(path: sample.file.path).copy(to: path)

    #expect(try EmbeddedModel.readCache(Connection(path: path)) == sample.modelCache())
  }

  @Test func `a store whose model is derived from its tables claims to keep no model`() throws {
    let sample = try SampleStore("plaso_kik.sqlite")
    defer { sample.remove() }
    let path = sample.folder.appending(path: "copy").path

    try StoreFile(path: sample.file.path).copy(to: path)

    #expect(try EmbeddedModel.readCache(Connection(path: path)) == nil)
    #expect(try StoreFile(path: path).modelOrigin == .derived)
  }

  @Test func `bounds that are joined are read one by one`() throws {
    let sample = try SampleStore(path: "evidence/coredataplus_SampleModel2_V2.sqlite")
    defer { sample.remove() }

    let title = try #require(
      try StoreFile(path: sample.file.path).model.entity(named: "Book")?.property(named: "title"))

    #expect(title.asAttribute?.validation.minimumLength == 3)
    #expect(title.asAttribute?.validation.maximumLength == 50)
  }

  private func expectAlike(_ ours: String, _ theirs: String) async throws {
    let program = Checkout.root.appending(path: "Tests/ObjectStoreTests/CompiledModels/compiled_model.py")
    let result = try await Subprocess.run(["python3", program.path, ours, theirs])
    #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
  }

  /// A model of any kind, or one whose names clash, with all that Core Data's editor offers besides.
  private static func model(using random: inout SeededGenerator) throws -> ManagedObjectModel {
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    var declarations =
      chance(2)
      ? ClashingModel.declarations(using: &random)
      : try ManagedObjectModel.random(using: &random).entities.map { EntityDeclaration(of: $0) }
    for index in declarations.indices {
      declarations[index].className = chance(2) ? "Some\(index)" : nil
      declarations[index].renamingIdentifier = chance(3) ? "Former\(index)" : nil
      declarations[index].versionHashModifier = chance(4) ? "second" : nil
      declarations[index].userInfo = chance(4) ? ["key": "value", "": "emptiness"] : [:]
      let own = declarations[index].properties.map(\.name).sorted()
      for place in declarations[index].properties.indices {
        switch declarations[index].properties[place] {
        case .attribute(var attribute):
          attribute.isOptional = chance(2)
          attribute.isIndexed = chance(3)
          attribute.renamingIdentifier = chance(3) ? "former\(place)" : nil
          attribute.versionHashModifier = chance(5) ? "2" : nil
          attribute.userInfo = chance(5) ? ["a": "b"] : [:]
          attribute.preservesValueOnDeletion = chance(5)
          attribute.allowsExternalStorage = attribute.type == .binary && chance(2)
          attribute.transformerName =
            attribute.type == .transformable ? "NSSecureUnarchiveFromData" : nil
          switch attribute.type {
          case .integer32:
            attribute.validation = AttributeValidation(minimum: .integer(-3), maximum: .integer(12))
          case .date: attribute.validation = AttributeValidation(maximum: .date(1000))
          case .string where chance(2):
            attribute.validation = AttributeValidation(minimumLength: 0, maximumLength: 9, pattern: "a*")
          default: break
          }
          declarations[index].properties[place] = .attribute(attribute)
        case .relationship(var relationship):
          relationship.isOptional = chance(2)
          relationship.renamingIdentifier = chance(4) ? "former\(place)" : nil
          relationship.userInfo = chance(4) ? ["x": "y"] : [:]
          declarations[index].properties[place] = .relationship(relationship)
        }
      }
      let attributes = declarations[index].properties.compactMap(\.asAttribute).filter {
        $0.derivation == nil && !$0.isTransient
      }
      .map(\.name)
      if attributes.count > 1, chance(2) {
        declarations[index].indexes = [
          IndexDescription("byTwo", on: Array(attributes.prefix(2)), descending: [attributes[0]])
        ]
      }
      if let first = own.first(where: { attributes.contains($0) }), chance(4) {
        declarations[index].uniquenessConstraints = [[first]]
      }
    }
    return try ManagedObjectModel(
      entities: declarations, versionIdentifiers: chance(2) ? ["2.0"] : [])
  }

  /// What a compiled model can say of one entity: expressions in one form, and no default values of classes that nobody here knows.
  private struct Described: Equatable {
    let names: [String?]
    let isAbstract: Bool
    let own: Set<String>
    let constraints: [[String]]
    let indexes: [IndexDescription]
    let userInfo: [String: String]
    let properties: [PropertyDescription]

    init(_ entity: EntityDescription) {
      names = [
        entity.name, entity.className, entity.parent?.name, entity.renamingIdentifier,
        entity.versionHashModifier,
      ]
      isAbstract = entity.isAbstract
      own = entity.ownPropertyNames
      constraints = entity.ownUniquenessConstraints
      indexes = entity.indexes
      userInfo = entity.userInfo
      properties = entity.properties.map { property in
        guard case .attribute(var attribute) = property else { return property }
        attribute.derivation = attribute.derivation.flatMap { Derivation($0)?.predicateFormat }
        if attribute.type == .transformable { attribute.defaultValue = .null }
        return .attribute(attribute)
      }
    }
  }
}
