import ByteFixtures
import CoreDataFormats
import Foundation
import ObjectStore
import Testing

/// Stores that were cut, zeroed or had bits flipped give objects, findings or an error, never a trap.
@Suite struct StoreFileMutationTests {
  /// A small library: folders in folders, ordered notes, tags on notes, every type of attribute.
  struct Library: StoredObjectSource {
    let model: ManagedObjectModel
    let objects: [StoredObject]

    init() throws {
      let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary,
        .uuid, .uri,
        .transformable,
      ]
      model = try ManagedObjectModel(entities: [
        EntityDeclaration(
          "Folder",
          relationships: [
            .toOne("parent", to: "Folder", inverse: "children"),
            .toMany("children", to: "Folder", inverse: "parent"),
            .toMany("notes", to: "Note", inverse: "folder", isOrdered: true),
          ]),
        EntityDeclaration(
          "Note", attributes: zip(Array("abcdefghijklm"), types).map { AttributeDescription(String($0), $1) },
          relationships: [
            .toOne("folder", to: "Folder", inverse: "notes"), .toMany("tags", to: "Tag", inverse: "notes"),
          ]),
        EntityDeclaration(
          "Tag", relationships: [.toMany("notes", to: "Note", inverse: "tags", isOrdered: true)]),
        EntityDeclaration(
          "SmartFolder", parent: "Folder", attributes: [AttributeDescription("query", .string)]),
      ])
      objects = Self.objects(of: model)
    }

    private static func objects(of model: ManagedObjectModel) -> [StoredObject] {
      func reference(_ name: String, _ key: Int64) -> StoredObject.Reference {
        .init(entity: model.entity(named: name)?.index ?? 0, key: key)
      }
      let values: [AttributeValue] = [
        .integer(-5), .integer(70_000), .integer(.max), .decimal(12.5), .double(0.1), .float(2.5),
        .string("Grüße"),
        .boolean(true), .date(325_252_800.5), .data([0, 1, 2]), .uuid(UUID()), .uri("https://example.org/"),
        .data(KeyedArchive.encode(.array([.integer(1), .string("x")]))),
      ]
      let folder = reference("Folder", 1)
      let smart = reference("SmartFolder", 2)
      let notes = [reference("Note", 1), reference("Note", 2), reference("Note", 3)]
      let tag = reference("Tag", 1)
      func object(
        _ reference: StoredObject.Reference, _ attributes: [AttributeValue],
        _ links: [String: [StoredObject.Reference]]
      ) -> StoredObject {
        let entity = model.entities[reference.entity]
        let relationships = entity.properties.dropFirst(entity.attributeCount).map { links[$0.name] ?? [] }
        return StoredObject(reference: reference, attributes: attributes, relationships: relationships)
      }
      return [
        object(folder, [], ["children": [smart], "notes": [notes[2], notes[0]]]),
        object(smart, [.string("all")], ["parent": [folder], "notes": [notes[1]]]),
        object(notes[0], values, ["folder": [folder], "tags": [tag]]),
        object(notes[1], values.map { _ in .null }, ["folder": [smart], "tags": [tag]]),
        object(notes[2], values, ["folder": [folder]]),
        object(tag, [], ["notes": [notes[1], notes[0]]]),
      ]
    }

    func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) throws {
      for object in objects { try body(object) }
    }

    func object(_ reference: StoredObject.Reference) -> StoredObject? {
      objects.first { $0.reference == reference }
    }
  }

  private func temporaryFile() -> String {
    FileManager.default.temporaryDirectory.appending(path: "ticds-\(UUID().uuidString)").path
  }

  @Test(arguments: StoreFile.Kind.writable)
  func `every type and kind of relationship comes back as it was written`(kind: StoreFile.Kind) throws {
    let library = try Library()
    let path = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: path) }

    try StoreFile.write(library, to: path, as: kind)

    let store = try StoreFile(path: path)
    let read = try store.objects().allObjects()
    if kind == .sqlite { #expect(read == library.objects) }
    #expect(read.map(\.attributes) == library.objects.map(\.attributes))
    #expect(
      read.map { $0.relationships.map(\.count) } == library.objects.map { $0.relationships.map(\.count) })
    var findings: [StoreFinding] = []
    try store.verify { findings.append($0) }
    #expect(findings == [])
  }

  @Test(arguments: StoreFile.Kind.writable, [1, 2, 3] as [UInt64])
  func `a damaged store is survived`(kind: StoreFile.Kind, seed: UInt64) throws {
    let path = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try StoreFile.write(Library(), to: path, as: kind)
    let original = Array(try Data(contentsOf: URL(filePath: path)))
    var generator = SeededGenerator(seed: seed)
    var survived = 0

    for _ in 0..<150 {
      try Data(damage(original, &generator)).write(to: URL(filePath: path))
      do {
        let store = try StoreFile(path: path)
        _ = try store.objects().allObjects()
        try store.verify { _ in }
        survived += 1
      } catch {
        #expect("\(error)".isEmpty == false)
      }
    }

    #expect(survived < 150)
  }

  private func damage(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
    case 1:
      let start = Int.random(in: 16..<bytes.count, using: &generator)
      let end = min(bytes.count, start + Int.random(in: 1...2_000, using: &generator))
      for index in start..<end { bytes[index] = 0 }
    default:
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        bytes[Int.random(in: 16..<bytes.count, using: &generator)] ^=
          1 << UInt8.random(in: 0..<8, using: &generator)
      }
    }
    return bytes
  }
}
