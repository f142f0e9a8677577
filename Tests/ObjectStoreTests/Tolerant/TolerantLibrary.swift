import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders

/// A store of many pages: notes in folders, some of which take several pages, special notes among them, and tags on notes.
struct TolerantLibrary {
  static let count: Int64 = 70

  let folder: TemporaryFolder
  let path: String
  let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
    model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Folder", attributes: [.init("name", .string)],
        relationships: [.toMany("notes", to: "Note", inverse: "folder")]),
      EntityDeclaration(
        "Note",
        attributes: [
          .init("title", .string), .init("text", .string), .init("stars", .integer32), .init("made", .date),
          .init("price", .decimal), .init("mark", .uuid),
          .init("picture", .binary, allowsExternalStorage: true),
        ],
        relationships: [
          .toOne("folder", to: "Folder", inverse: "notes"), .toMany("tags", to: "Tag", inverse: "notes"),
        ]),
      EntityDeclaration("Special", parent: "Note"),
      EntityDeclaration(
        "Tag", relationships: [.toMany("notes", to: "Note", inverse: "tags", isOrdered: true)]),
    ])
    let store = try PersistentStore(model: model, path: path)
    let context = try store.newContext()
    let folders = try (0..<5).map { number in
      let folder = try context.insert(entity: "Folder")
      folder["name"] = .string("\(number)")
      return folder
    }
    let tags = try (0..<6).map { _ in try context.insert(entity: "Tag") }
    for number in 0..<Self.count {
      let note = try context.insert(entity: number % 7 == 0 ? "Special" : "Note")
      note["title"] = .string("\(number)")
      note["text"] = .string(String(repeating: "text ", count: number % 20 == 0 ? 2_000 : Int(number % 60)))
      note["stars"] = .integer(number * 1_000)
      note["made"] = .date(Double(number) * 1_000.5)
      note["price"] = .decimal(Decimal(number) / 4)
      note["mark"] = .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number))))
      note["picture"] = .data([UInt8](repeating: 7, count: number == 11 ? 200_000 : 10))
      note.setTarget(folders[Int(number % 5)], "folder")
      note.setMembers(tags.indices.filter { number / Int64($0 + 2) % 3 == 0 }.map { tags[$0] }, "tags")
    }
    try context.save()
    try store.newConnection().execute(script: "PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Changes the file behind the store's back.
  func change(_ script: String) throws {
    let connection = try Connection(path: path)
    try connection.execute(
      script: "PRAGMA writable_schema = ON; " + script + "; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }
}
