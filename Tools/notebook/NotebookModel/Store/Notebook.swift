import ChangeTracking
import CommandLineTool
import Foundation
import ObjectStore
import RemoteAccess
import TICDSSQLite

/// The notes of one store folder.
///
/// Confined to the task that opened it, as its context is.
final class Notebook {
  let folder: NotebookFolder
  let settings: NotebookSettings
  let store: PersistentStore
  let context: ManagedObjectContext
  /// Tags that were made here, by name.
  private var newTags: [String: Tag] = [:]

  /// What is done with a notebook.
  enum Purpose {
    /// Nothing is saved, so a program that is writing is not waited for.
    case reading
    /// Saves are recorded, so that they reach the other devices.
    case writing
  }

  /// Opens an existing notebook.
  ///
  /// - Throws: `ToolFailure`, `StoreError` or `SQLiteError`.
  init(_ folder: NotebookFolder, for purpose: Purpose) throws {
    self.folder = folder
    settings = try NotebookSettings(contentsOf: folder.settings)
    // Notes on a backup medium are there to be read.
    let isReadOnly = purpose == .reading && !folder.isWritable
    do {
      store = try Self.openStore(folder, access: isReadOnly ? .readOnly : .readWrite)
    } catch let error as StoreError where purpose == .reading && error.isOfFullDisk {
      // Who has no room left wants to read, and to take the notes elsewhere.
      store = try Self.openStore(folder, access: .readOnly)
    }
    context = try store.newContext()
    if purpose == .writing {
      store.recordChanges()
      // A sync that runs at the same time may save between the fetch and the save of a command: what the command was told to change is
      // later, and all else stays as the sync has it.
      context.mergePolicy = .objectWins
    }
  }

  /// Saves what was changed.
  ///
  /// - Parameter note: what it was changed of.
  /// - Throws: `ToolFailure` with `notFound` if the note was deleted meanwhile, or what saving throws.
  func save(_ note: Note) throws {
    try context.save()
    guard !note.isGone else {
      throw ToolFailure(.notFound, "the note was deleted while it was being changed", advice: "add it anew")
    }
  }

  /// - Throws: `ToolFailure` if it is to be written and the folder cannot be, or `StoreError`.
  static func openStore(
    _ folder: NotebookFolder, access: PersistentStore.Options.Access
  ) throws -> PersistentStore {
    if access != .readOnly, folder.exists, !folder.isWritable { throw folder.notWritable }
    return try openStore(at: folder.database.path(percentEncoded: false), access: access)
  }

  static func openStore(at path: String, access: PersistentStore.Options.Access) throws -> PersistentStore {
    try PersistentStore(
      model: NotebookSchema.model(), path: path, options: .init(access: access, synchronization: .full))
  }

  /// Opens what a whole store holds, which somebody else may have made, and refuses one that demands more of notes than the model does.
  static func soundReplica(at path: String, client: String) throws -> Replica {
    let store = try openStore(at: path, access: .readWrite)
    try store.requireTablesOfModel()
    return try store.newReplica(Replica.Configuration(client: client))
  }

  // MARK: Finding

  /// All notes by sync ID.
  func notes() throws -> [Note] {
    try context.fetch(FetchRequest<Note>().sorted(by: \.ticdsSyncID))
  }

  /// The names of tags by sync ID.
  func tagNames() throws -> [String: String] {
    Dictionary(try context.fetch(FetchRequest<Tag>()).map { ($0.ticdsSyncID ?? "", $0.name) }) { $1 }
  }

  /// The note that a sync ID, or the beginning of one, means.
  ///
  /// - Throws: `ToolFailure` with `notFound`, or `usage` if several notes begin so.
  func note(_ prefix: String) throws -> Note {
    guard !prefix.isEmpty else { throw ToolFailure.usage("the note's sync ID is empty") }
    let matches = try context.fetch(
      FetchRequest<Note>().where(.begins(\.ticdsSyncID, with: prefix, .caseInsensitive)).limit(3))
    // A whole sync ID means its note even if another's begins with it.
    if let exact = matches.first(where: { $0.syncID.uppercased() == prefix.uppercased() }) { return exact }
    guard let match = matches.first else { throw ToolFailure(.notFound, "there is no note “\(prefix)”") }
    guard matches.count == 1 else {
      let count = matches.count == 2 ? "two" : "more than two"
      throw ToolFailure(.usage, "\(count) notes begin with “\(prefix)”", advice: "give more of the sync ID")
    }
    return match
  }

  /// What has not arrived of notes because it was too long for a set: how many bytes, by the note's sync ID and the property.
  func awaited() throws -> [String: [String: Int]] {
    var awaited: [String: [String: Int]] = [:]
    let replica = try store.newReplica(Replica.Configuration(client: settings.client))
    for change in try replica.awaitedChanges() {
      guard case .wrote(.longValue(let value)) = change.written.effect else { continue }
      awaited[change.object.string, default: [:]][change.key] = value.length
    }
    return awaited
  }

  // MARK: Changing

  /// Makes a note; it is not saved yet.
  func insertNote(title: String, content: String, tags: [String], at time: Date) throws -> Note {
    let note = try context.insert(Note.self)
    note.title = title
    note.content = content
    note.created = time
    note.modified = time
    note.tags = Set(try tags.map { try tag($0) })
    return note
  }

  /// The tag of a name, made if there is none.
  func tag(_ name: String) throws -> Tag {
    guard !name.isEmpty else { throw ToolFailure.usage("a tag's name is empty") }
    // Those that are not saved yet would be looked through one by one.
    if let known = newTags[name], known.isInserted { return known }
    if let known = try existingTag(name) { return known }
    let tag = try context.insert(Tag.self)
    tag.name = name
    newTags[name] = tag
    return tag
  }

  func existingTag(_ name: String) throws -> Tag? {
    try context.first(Tag.self, where: \.name == name)
  }
}

extension StoreError {
  /// Whether there was no room for what SQLite keeps beside a store.
  fileprivate var isOfFullDisk: Bool {
    if case .database(let error) = reason { error.code == .full } else { false }
  }
}
