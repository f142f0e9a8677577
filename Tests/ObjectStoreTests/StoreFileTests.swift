import CoreDataFormats
import Foundation
import ObjectStore
import TICDSSQLite
import SampleFiles
import TemporaryFolders
import Testing

/// Every sampled store, read whole, written anew, and read again.
@Suite(.needsSamples) struct StoreFileSampleTests {
  /// How many objects an independent reader counted in each sample, without those of persistent history.
  static let counts = [
    "apple_CoreDataBooks.CDBStore": 11, "xcake_CoreDataBooks.CDBStore": 11, "ddg_Bookmarks_V1.sqlite": 0,
    "ddg_Bookmarks_V4.sqlite": 10, "ddg_SyncMetadata_V3.sqlite": 0,
  ]

  @Test(arguments: SampleStore.names)
  func `a store is read without naming a model and without changing a byte`(name: String) throws {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    let before = try Data(contentsOf: sample.file)

    let store = try StoreFile(path: sample.file.path)
    let objects = try store.objects().allObjects()

    if let count = Self.counts[name] { #expect(objects.count == count) }
    if store.modelOrigin == .cache { #expect(store.hashDifferences.isEmpty) }
    #expect(try Data(contentsOf: sample.file) == before)
    #expect(try objects.count == sample.rowCount(of: store.model))
  }

  @Test(arguments: SampleStore.names, StoreFile.Kind.writable)
  func `a copy of a store holds the same objects`(name: String, kind: StoreFile.Kind) throws {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    let original = try StoreFile(path: sample.file.path)
    let path = sample.folder.appending(path: "copy").path

    try original.copy(to: path, as: kind)

    let copy = try StoreFile(path: path)
    #expect(copy.kind == kind)
    #expect(
      copy.modelOrigin == (original.modelOrigin == .derived ? .derived : kind == .sqlite ? .cache : .embedded)
    )
    #expect(copy.uuid == original.uuid)
    #expect(copy.versionHashes == original.versionHashes)
    var objects = try original.objects().allObjects()
    if kind == .binary {
      for index in objects.indices { objects[index].dropMissingFiles() }
    }
    try expectEqual(objects, copy.objects().allObjects(), original.model)
  }

  @Test(arguments: ["binary/sm_mute-civilian_34be5f5.smsetting", "binary/sm_vozhyk-_f4a0d22.smsetting"])
  func `a copy of a binary store holds the same nodes`(name: String) throws {
    let original = try StoreFile(path: Samples.url(name).path)
    try withTemporaryFolder { folder in
      let binary = folder.appending(path: "copy")
      try original.copy(to: binary.path)
      let before = try BinaryStore(Samples.bytes(name))
      let after = try BinaryStore(Array(Data(contentsOf: binary)))
      #expect(before.nodes == after.nodes)
      #expect(before.versionHashes == after.versionHashes)

      let relational = folder.appending(path: "copy.sqlite").path
      try original.copy(to: relational, as: .sqlite)
      try expectEqual(
        original.objects().allObjects(), StoreFile(path: relational).objects().allObjects(), original.model)
    }
  }

  /// Compares objects by content: where keys had to change, by the position in the order of the store.
  private func expectEqual(
    _ left: [StoredObject], _ right: [StoredObject], _ model: ManagedObjectModel,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try #require(left.count == right.count, sourceLocation: sourceLocation)
    let renamed = Dictionary(
      zip(right, left).map { ($0.reference, $1.reference) }, uniquingKeysWith: { first, _ in first })
    for (left, right) in zip(left, right) {
      let entity = model.entities[left.reference.entity]
      var mapped = right
      mapped.reference = renamed[right.reference] ?? right.reference
      mapped.relationships = right.relationships.enumerated().map { index, targets in
        let targets = targets.map { renamed[$0] ?? $0 }
        let relationship = entity.relationship(at: entity.attributeCount + index)
        return relationship?.isOrdered == true ? targets : targets.sorted()
      }
      // Not printed whole: the values are somebody's.
      #expect(left.reference == mapped.reference, sourceLocation: sourceLocation)
      #expect(
        left.relationships == mapped.relationships && left.missingFiles == mapped.missingFiles,
        "\(left.reference)",
        sourceLocation: sourceLocation)
      for (index, (value, copy)) in zip(left.attributes, mapped.attributes).enumerated() {
        let name = entity.properties[index].name
        #expect(
          value == copy || (value.unarchived != nil && value.unarchived == copy.unarchived), "\(name)",
          sourceLocation: sourceLocation)
      }
    }
  }
}

extension StoredObject {
  /// A binary store cannot keep the name of a missing file.
  fileprivate mutating func dropMissingFiles() {
    for index in missingFiles.indices { attributes[index] = .null }
    missingFiles = PropertyMask()
  }
}

extension AttributeValue {
  /// The value of a transformable attribute, because the same value has many archives.
  fileprivate var unarchived: ArchivedObject? {
    guard case .data(let bytes) = self else { return nil }
    return (try? KeyedArchive(bytes).decode(allowing: .any)) ?? .data(bytes)
  }
}

@Suite struct StoreFileTests {
  @Test func `a file of another kind is refused`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "ticds-\(UUID().uuidString)")
    try Data("hello".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }

    let error = #expect(throws: StoreFileError.self) { try StoreFile(path: file.path) }

    #expect(error?.code == .otherFormat)
  }

  @Test func `a missing file is named`() {
    let error = #expect(throws: StoreFileError.self) { try StoreFile(path: "/nowhere/store") }

    #expect(error?.code == .unreadable)
    #expect(error?.path == "/nowhere/store")
  }
}
