import CoreDataFormats
import Foundation
import ObjectStore
import Testing

/// Binary stores in which two sides disagree, or that hold what tables do not keep.
@Suite struct OneSidedLinkTests {
  private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Note", attributes: [.init("amount", .decimal)],
        relationships: [
          .toOne("folder", to: "Folder", inverse: "notes"),
          .toMany("tags", to: "Tag", inverse: "notes", isOrdered: true),
        ]),
      EntityDeclaration("Folder", relationships: [.toMany("notes", to: "Note", inverse: "folder")]),
      EntityDeclaration("Tag", relationships: [.toMany("notes", to: "Note", inverse: "tags")]),
    ])
  }

  /// Makes a binary store of one note in a folder with two tags, and lets `change` do something to the note.
  private func store(_ tool: StoreTool, _ change: (inout StoredObject) throws -> Void) throws -> String {
    let model = try model()
    func reference(_ entity: String, _ key: Int64) throws -> StoredObject.Reference {
      .init(entity: try #require(model.entity(named: entity)).index, key: key)
    }
    let (note, folder) = (try reference("Note", 1), try reference("Folder", 2))
    let tags = [try reference("Tag", 3), try reference("Tag", 4)]
    var object = StoredObject(reference: note, attributes: [.null], relationships: [[folder], tags])
    try change(&object)
    let others =
      [StoredObject(reference: folder, attributes: [], relationships: [[note]])]
      + tags.map { StoredObject(reference: $0, attributes: [], relationships: [[note]]) }
    let path = tool.path("store.binary")
    try StoreFile.write(Objects(model: model, objects: [object] + others), to: path, as: .binary)
    return path
  }

  private struct Objects: StoredObjectSource {
    let model: ManagedObjectModel
    let objects: [StoredObject]
    func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) throws {
      for object in objects.sorted(by: { $0.reference < $1.reference }) { try body(object) }
    }
    func object(_ reference: StoredObject.Reference) -> StoredObject? {
      objects.first { $0.reference == reference }
    }
  }

  enum Disagreement: CaseIterable {
    case nothing, folderForgotten, tagForgotten, tagTwice, manyDigits

    var loss: String? {
      switch self {
      case .nothing: nil
      case .folderForgotten: "Folder.notes: 1 links that only one of two sides has"
      case .tagForgotten: "Tag.notes: 1 links that only one of two sides has"
      case .tagTwice: "Note.tags: 1 links to an object that the relationship has already"
      case .manyDigits: "Note.amount: 1 decimal numbers of more than fifteen digits"
      }
    }

    var kind: String? {
      switch self {
      case .nothing, .manyDigits: nil
      case .folderForgotten, .tagForgotten: "inverse"
      case .tagTwice: "repeatedMember"
      }
    }

    func change(_ note: inout StoredObject) throws {
      switch self {
      case .nothing: note.attributes[0] = .decimal(12.5)
      case .folderForgotten: note.relationships[0] = []
      case .tagForgotten: note.relationships[1].removeLast()
      case .tagTwice: note.relationships[1].append(note.relationships[1][0])
      case .manyDigits:
        note.attributes[0] = .decimal(try #require(Decimal(string: "0.12345678901234567890123")))
      }
    }
  }

  @Test(arguments: Disagreement.allCases)
  func `what tables cannot keep as a binary store has it is listed`(_ disagreement: Disagreement) async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try store(tool) { try disagreement.change(&$0) }

    let verified = try await tool.run("verify", store, "--json")
    let refused = try await tool.run("copy", store, tool.path("copy.sqlite"), "--as", "sqlite")
    let same = try await tool.run("copy", store, tool.path("copy.binary"))

    #expect(verified.ending == .exited(disagreement.kind == nil ? 0 : 1), "\(verified.output)")
    if let kind = disagreement.kind { #expect(verified.output.contains(kind), "\(verified.output)") }
    #expect(refused.ending == .exited(disagreement.loss == nil ? 0 : 14), "\(refused.errors)")
    if let loss = disagreement.loss { #expect(refused.errors.contains(loss), "\(refused.errors)") }
    #expect(same.ending == .exited(0))
    let difference = try await tool.run("diff", store, tool.path("copy.binary"))
    #expect(difference.ending == .exited(0), "\(difference.output)")
  }
}
