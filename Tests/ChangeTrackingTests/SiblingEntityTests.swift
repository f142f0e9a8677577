import Foundation
import ObjectStore
import Testing

@testable import ChangeTracking

class Publication: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var isbn: String = ""
  @Attribute var title: String = ""
  @Attribute(userInfo: ["TICDSMerge": "counter"]) var loans: Int64 = 0
  @ToOne var shelf: Shelf?
  @ToOne var cover: Cover?
  @ToMany var readers: Set<Reader>

  class override var entityOptions: EntityOptions? {
    EntityOptions(Publication.self, userInfo: ["TICDSNaturalKey": "isbn"])
  }
}

final class Book: Publication {
  @Attribute var pages: Int64 = 0
  class override var entityOptions: EntityOptions? {
    EntityOptions(Book.self, userInfo: ["TICDSNaturalKey": "isbn"])
  }
}

final class Magazine: Publication {
  @Attribute var issue: Int64 = 0
  class override var entityOptions: EntityOptions? {
    EntityOptions(Magazine.self, userInfo: ["TICDSNaturalKey": "isbn"])
  }
}

final class Shelf: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany(inverse: \Publication.shelf) var publications: [Publication]
}

final class Cover: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var color: String = ""
  @ToOne(inverse: \Publication.cover) var publication: Publication?
}

final class Reader: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany(inverse: \Publication.readers) var publications: Set<Publication>
}

/// One identifier for objects of two entities that inherit from one: the later insertion says what the object is, everywhere.
@Suite struct SiblingEntityTests {
  private let model: ManagedObjectModel
  private let here: ManagedDevice
  private let there: ManagedDevice

  init() throws {
    model = try ManagedObjectModel(
      Publication.self, Book.self, Magazine.self, Shelf.self, Cover.self, Reader.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
  }

  /// Everything that a device shows.
  private func shown(_ device: ManagedDevice) throws -> [String] {
    device.context.mergePendingChanges()
    let publications = try device.context.fetch(Publication.self).map { publication in
      let kind = publication is Book ? "Book" : publication is Magazine ? "Magazine" : "Publication"
      let readers = publication.readers.map(\.name).sorted().joined(separator: ",")
      return
        "\(kind) \(publication.ticdsSyncID ?? "-") \(publication.title) \(publication.loans) on "
        + "\(publication.shelf?.name ?? "-") in \(publication.cover?.color ?? "-") read by \(readers)"
    }
    let shelves = try device.context.fetch(Shelf.self).map { shelf in
      "\(shelf.name): \(shelf.publications.map(\.title).joined(separator: ", "))"
    }
    let covers = try device.context.fetch(Cover.self).map { "\($0.color) of \($0.publication?.title ?? "-")" }
    return (publications + shelves + covers).sorted()
  }

  /// A publication on a shelf between two others, with a cover and a reader, lent twice.
  private func fill(_ publication: Publication, _ title: String, _ context: ManagedObjectContext) throws {
    publication.isbn = "978"
    publication.title = title
    publication.loans = 2
    let cover = try context.insert(Cover.self)
    cover.color = "\(title) cover"
    publication.cover = cover
    let reader = try context.insert(Reader.self)
    reader.name = "\(title) reader"
    publication.readers.insert(reader)
    let shelf = try context.insert(Shelf.self)
    shelf.name = "\(title) shelf"
    for neighbour in ["first", "last"] {
      let other = try context.insert(Publication.self)
      other.isbn = "\(title) \(neighbour)"
      other.title = "\(title) \(neighbour)"
      shelf.publications.append(other)
      if neighbour == "first" { shelf.publications.append(publication) }
    }
  }

  @Test(arguments: [0, 5_000 as UInt64])
  func `a book and a magazine with one natural key become one object, of the entity that was inserted last`(
    lead: UInt64
  ) throws {
    there.clock.advance(lead)
    try here.edit { try fill($0.insert(Book.self), "book", $0) }
    try there.edit { try fill($0.insert(Magazine.self), "magazine", $0) }
    try ManagedDevice.exchange(here, there)
    try ManagedDevice.exchange(here, there)
    // A third device sees the sets in either order.
    let forwards = try ManagedDevice("forwards", model)
    try forwards.receive(here.pushed)
    try forwards.receive(there.pushed)
    let backwards = try ManagedDevice("backwards", model)
    try backwards.receive(there.pushed)
    try backwards.receive(here.pushed)

    let expected = try shown(here)
    for device in [there, forwards, backwards] { #expect(try shown(device) == expected) }
    #expect(expected.filter { $0.hasPrefix("Book") || $0.hasPrefix("Magazine") }.count == 1)
    if lead > 0 { #expect(expected.contains { $0.hasPrefix("Magazine") }) }
  }

  @Test(arguments: [false, true])
  func `links, lists, one-to-one relationships and counters survive the move to another entity`(
    isMovedByNewcomer: Bool
  ) throws {
    try here.edit { try fill($0.insert(Book.self), "book", $0) }
    try ManagedDevice.exchange(here, there)
    // Somebody who knows nothing of it makes a magazine of the same key.
    let third = try ManagedDevice("third", model)
    third.clock.advance(60_000)
    try third.edit { context in
      let magazine = try context.insert(Magazine.self)
      magazine.isbn = "978"
      magazine.issue = 7
    }
    let sets = try third.push()
    if isMovedByNewcomer {
      try third.receive(here.pushed)
      try here.receive(sets)
    } else {
      try here.receive(sets)
      try third.receive(here.pushed)
    }
    try there.receive(sets)

    let expected = try shown(here)
    for device in [there, third] { #expect(try shown(device) == expected) }
    let magazine = try #require(try here.context.fetch(Magazine.self).first)
    #expect(try here.context.fetch(Book.self).isEmpty)
    #expect(magazine.issue == 7)
    #expect(magazine.cover?.color == "book cover")
    #expect(magazine.shelf?.publications.map(\.ticdsSyncID).count == 3)
    #expect(magazine.shelf?.publications.dropFirst().first === magazine)
    #expect(magazine.readers.map(\.name) == ["book reader"])
    #expect(magazine.loans == 2)
    // Work goes on with it.
    there.clock.advance(120_000)
    try there.edit { context in
      let magazine = try #require(try context.fetch(Magazine.self).first)
      magazine.title = "edited"
      magazine.loans += 1
    }
    try ManagedDevice.exchange(here, there)
    #expect(try shown(here) == shown(there))
    #expect(try here.the(Magazine.self).title == "edited" && here.the(Magazine.self).loans == 3)
  }

  @Test func `one hostile set that says of every object that it is something else harms nobody`() throws {
    try here.edit { try fill($0.insert(Book.self), "book", $0) }
    try ManagedDevice.exchange(here, there)
    let identifier = SyncID(try #require(try here.the(Book.self).ticdsSyncID))
    var author = ScriptedAuthor(
      0x66, entities: EntityNames(name: "Magazine", root: "Publication", properties: []),
      EntityNames(name: "Book", root: "Magazine", properties: []),
      EntityNames(name: "Shelf", root: "Publication", properties: []))
    let late = LogicalTime(milliseconds: here.clock.milliseconds + 60_000)
    let later = LogicalTime(milliseconds: here.clock.milliseconds + 61_000)
    let hostile = try author.set(
      Change(entity: 0, object: identifier, time: late, action: .insert([])),
      Change(entity: 1, object: identifier, time: later, action: .insert([])),
      Change(entity: 2, object: identifier, time: later, action: .insert([])))
    #expect(try CompactCodec.encode(hostile.set).count <= 200)

    for device in [here, there] { try device.receive([hostile]) }
    #expect(try shown(here) == shown(there))
    let newcomer = try ManagedDevice("newcomer", model)
    try newcomer.receive([hostile])
    try newcomer.receive(here.pushed)
    #expect(try shown(newcomer) == shown(here))

    here.clock.advance(120_000)
    try here.edit { context in
      for publication in try context.fetch(Publication.self) { publication.title += "!" }
    }
    try there.receive(try here.push())
    #expect(try shown(here) == shown(there))
  }
}
