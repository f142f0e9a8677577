import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

final class Note: ManagedObject {
  @Attribute(indexed: true) var title: String = ""
  @Attribute var modified: Date?
  @Attribute var stars: Int16 = 0
  @Attribute var weight: Double?
  @Attribute var picture: Data?
  @Attribute var identifier: UUID?
  @Attribute(isTransient: true) var draft: String?
  @ToOne(inverse: \Folder.notes) var folder: Folder?
  @ToMany(inverse: \Tag.notes) var tags: Set<Tag>
}

final class Folder: ManagedObject {
  @Attribute var name: String = ""
  @ToOne(inverse: \Folder.children) var parent: Folder?
  @ToMany(deleteRule: .cascade) var children: [Folder]
  @ToMany(deleteRule: .cascade) var notes: Set<Note>
}

final class Tag: ManagedObject {
  @Attribute(unique: true) var name: String = ""
  @ToMany var notes: Set<Note>
}

/// A store in a folder of its own, which goes when the test ends.
final class TemporaryStore {
  private let temporary: TemporaryFolder
  let path: String
  let store: PersistentStore

  init(_ model: ManagedObjectModel) throws {
    temporary = try TemporaryFolder()
    path = temporary.file("store.sqlite")
    store = try PersistentStore(model: model, path: path)
  }

  convenience init() throws {
    try self.init(ManagedObjectModel(Note.self, Folder.self, Tag.self))
  }

  var folder: URL { temporary.url }

  /// What every test ends with: the file is sound.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let connection = try Connection(path: path, options: .init(access: .readWrite))
    #expect(
      try connection.first("PRAGMA integrity_check") == .text("ok"), sourceLocation: sourceLocation)
    #expect(try connection.first("PRAGMA foreign_key_check") == nil, sourceLocation: sourceLocation)
  }
}
