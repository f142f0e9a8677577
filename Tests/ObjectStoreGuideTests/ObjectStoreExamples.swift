import Foundation
import ObjectStore
import TICDSSQLite

struct Mistake: Error {
  let words: String

  init(_ words: String) { self.words = words }
}

final class Note: ManagedObject {
  @Attribute(indexed: true) var title: String = ""
  @Attribute var modified: Date?
  @Attribute var stars: Int16 = 0
  @Attribute var weight: Double?
  @ToOne(inverse: \Folder.notes) var folder: Folder?
  @ToMany(inverse: \Tag.notes) var tags: Set<Tag>
}

final class Folder: ManagedObject {
  @Attribute var name: String = ""
  @ToMany(deleteRule: .cascade) var notes: Set<Note>
  @ToMany(inverse: \Folder.parent) var children: [Folder]  // an array has an order
  @ToOne var parent: Folder?
}

final class Tag: ManagedObject {
  @Attribute(unique: true) var name: String = ""
  @ToMany var notes: Set<Note>
}

enum Priority: Int16, AttributeConvertible {
  case low, high
  static let absentValue = Priority.low
}

struct Colour {
  var red, green, blue: UInt8
}

extension Colour: AttributeConvertible {
  static let attributeType = AttributeType.integer32
  static let absentValue = Colour(red: 0, green: 0, blue: 0)
  var attributeValue: AttributeValue { .integer(Int64(red) << 16 | Int64(green) << 8 | Int64(blue)) }
  init?(attributeValue: AttributeValue) {
    guard case .integer(let number) = attributeValue, 0...0xFFFFFF ~= number else { return nil }
    self.init(red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xFF), blue: UInt8(number & 0xFF))
  }
}

final class Job: ManagedObject {
  @Attribute var priority: Priority = .low
  @Attribute var colour: Colour?
}

struct Address: CodableAttribute {
  var street = ""
  var town = ""
  static let absentValue = Address()
}

final class Contact: ManagedObject {
  @Attribute var home: Address?
  @Attribute var nicknames: [String] = []
}

final class Chapter: ManagedObject {
  @Attribute var title: String = ""

  override class var valueChecks: [ValueCheck] {
    [ValueCheck(\Chapter.title) { if $0.hasPrefix(" ") { throw Mistake("begins with a space") } }]
  }
}

/// Counts the saves of one context.
final class Recorder: SaveParticipant {
  private(set) var saves = 0

  init(context: ManagedObjectContext) throws {
    if context.parent != nil { throw Mistake("a child's save reaches the store with its parent's") }
  }

  func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws { saves += 1 }
}

/// The examples of `Docs/ObjectStore.md`, as they stand there.
enum ObjectStoreExamples {
  static func open(_ path: String) throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(Note.self, Folder.self, Tag.self)
    let store = try PersistentStore(model: model, path: path)
    let context = try store.newContext()
    return context
  }

  static func findJobs(_ context: ManagedObjectContext) throws -> [Job] {
    try context.fetch(Job.self, where: \.priority == .high)
  }

  static func insertWithoutClass(_ path: String) throws -> ManagedObject {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Item", attributes: [AttributeDescription("name", .string, isOptional: false)])
    ])
    let context = try PersistentStore(model: model, path: path).newContext()
    let item = try context.insert(entity: "Item")
    item["name"] = .string("Milk")
    try context.save()
    return item
  }

  static func edit(_ context: ManagedObjectContext, tag: Tag) throws {
    let home = try context.insert(Folder.self) { $0.name = "Home" }
    let note = try context.insert(Note.self) { $0.title = "Shopping" }
    note.folder = home  // home.notes has it now
    note.$tags.insert(tag)  // changes one member without building a set
    context.delete(home)  // takes its notes with it
    try context.save()  // all or nothing, in one transaction
  }

  static func exclaim(_ note: Note, in store: PersistentStore) async throws -> Int {
    let identifier = note.objectID
    let count = try await store.performBackground { context in
      let note = context.object(for: identifier) as? Note
      note?.title += "!"
      try context.save()
      return try context.count(Note.self)
    }
    return count
  }

  static func fetch(_ context: ManagedObjectContext) throws -> ([Note], Note?, Int) {
    let notes = try context.fetch(
      FetchRequest<Note>()
        .where(\.title == "Shopping" && \.folder?.name != nil)
        .sorted(by: \.modified, .descending)
        .prefetching(\.tags)
        .limit(20))
    let one = try context.first(Note.self, where: .begins(\.title, with: "sh", .caseInsensitive))
    var letters = 0
    for note in try context.fetchBatched(FetchRequest<Note>(), size: 1_000) {  // of any number
      letters += note.title.count
    }
    return (notes, one, letters)
  }

  static func fetchByMembers(_ context: ManagedObjectContext) throws -> [[Folder]] {
    let lists = [
      try context.fetch(Folder.self, where: .any(\.$notes, where: \.stars > 3 && .none(\.$tags))),
      try context.fetch(Folder.self, where: .count(\.$notes, where: \.title == "x") >= 2),
      try context.fetch(Folder.self, where: .any(\.parent?.$children, where: \.name == "Work")),
      try context.fetch(FetchRequest<Folder>().sorted(by: .sum(\.stars, in: \.$notes), .descending)),
    ]
    return lists
  }

  static func count(_ context: ManagedObjectContext) throws -> (Int, [ObjectID]) {
    let starred = try context.count(Note.self, where: \.stars > 3)
    let newest = try context.identifiers(FetchRequest<Note>().sorted(by: \.modified, .descending).limit(10))
    return (starred, newest)
  }

  static func summarize(_ context: ManagedObjectContext) throws -> ([String], [String], Int) {
    var lines: [String] = []
    let rows = try context.fetch(
      FetchRequest<Note>().where(\.stars > 0)
        .summarized(by: .property(\.folder?.name), .count(), .maximum(\.modified))
        .having(.count() > 2)
        .sorted(by: .count(), .descending))
    for (folder, count, latest) in rows {  // String?, Int, Date?
      lines.append("\(folder ?? "no folder"): \(count), the latest of \(latest ?? .distantPast)")
    }
    let titles = try context.fetch(FetchRequest<Note>().summarized(by: .property(\.title)))
    let total = try context.value(of: .sum(\.stars), from: FetchRequest<Note>())
    return (lines, titles, total)
  }

  static func rank(_ store: PersistentStore) throws -> [AttributeValue] {
    var ranks: [AttributeValue] = []
    let reader = try SQLReader(store)
    try reader.forEachRow(
      "SELECT title, rank() OVER (ORDER BY stars DESC) FROM Note WHERE stars > ?", .integer(0)
    ) { row in
      ranks.append(row[1])
    }
    return ranks
  }

  @MainActor static func showLive(_ context: ManagedObjectContext) async throws -> [Int] {
    var moments: [Int] = []
    let results = try context.liveResults(
      for: FetchRequest<Note>().sorted(by: \.title), sectionedBy: \.folder?.name)
    results.onChange = { changes in  // deleted, inserted, moved and updated rows and sections
      moments.append(changes.inserted.count)
    }
    let changes = results.changes  // the same as a sequence
    try context.insert(Note.self) { $0.title = "new" }
    try context.processPendingChanges()
    for await change in changes {
      moments.append(change.inserted.count)
      break
    }
    return moments
  }

  static func changeManyRows(_ context: ManagedObjectContext, lines: [String]) throws {
    try context.insertRows(Note.self, from: lines) { row, line in row[\.title] = line }
    try context.updateRows(
      FetchRequest<Note>().where(\.stars > 5), .set(\.stars, to: \.stars - 1), .set(\.weight, to: nil))
    try context.deleteRows(FetchRequest<Note>().where(\.folder == nil))
  }

  static func fillForm(_ note: Note, in context: ManagedObjectContext) throws {
    let form = context.makeChild()
    let draft = form.object(for: note.objectID) as? Note
    draft?.title = "Maybe"
    form.rollback()  // as if nothing had been
    draft?.title = "Yes"
    try form.save()  // now note.title is "Yes", unsaved
    try context.save()  // and now it is in the store
  }

  static func undo(_ note: Note, in context: ManagedObjectContext) {
    context.undoIsEnabled = true  // off unless you ask: steps hold on to their objects
    context.undoLimit = 100
    context.undoGroup("Rename") { note.title = "Groceries" }
    context.undo()  // note.title is "Shopping" again
    context.redo()
  }

  static func record(_ store: PersistentStore) {
    store.addParticipants { context in try Recorder(context: context) }
  }

  static func migrate(_ model: ManagedObjectModel, _ path: String) throws -> PersistentStore {
    let store = try PersistentStore(model: model, path: path, options: .init(migration: .automatic))
    return store
  }

  static func describeMigration(_ v1: ManagedObjectModel, _ v2: ManagedObjectModel) -> Migration {
    let migration = Migration(from: v1, v2).transforming("Person", from: v1) { person in
      guard case .string(let street) = person.old["street"] else { return }
      person["home"] = try person.insert(entity: "Address", ["street": .string(street)])
    }
    return migration
  }
}
