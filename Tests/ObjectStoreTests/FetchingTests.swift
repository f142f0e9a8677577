import Foundation
import ObjectStore
import Testing

@Suite struct FetchingTests {
  private func titles(_ context: ManagedObjectContext, _ predicate: FetchPredicate<Note>) throws -> [String] {
    try context.fetch(FetchRequest<Note>().where(predicate).sorted(by: \.title)).map(\.title)
  }

  @Test(arguments: [true, false]) func `predicates mean the same for saved and for unsaved objects`(
    isSaved: Bool
  ) throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let folder = try context.insert(Folder.self) { $0.name = "Home" }
    for (title, stars, weight) in [("apple", 1, 0.5), ("Birne", 2, nil), ("cherry", 3, 1.5)]
      as [(String, Int16, Double?)]
    {
      try context.insert(Note.self) {
        $0.title = title
        $0.stars = stars
        $0.weight = weight
        if stars > 1 { $0.folder = folder }
      }
    }
    if isSaved { try context.save() }

    #expect(try titles(context, \.title == "apple") == ["apple"])
    #expect(try titles(context, \.title != "apple") == ["Birne", "cherry"])
    #expect(try titles(context, \.stars > 1 && \.stars <= 3) == ["Birne", "cherry"])
    #expect(try titles(context, \.weight == nil) == ["Birne"])
    #expect(try titles(context, \.weight != 0.5) == ["Birne", "cherry"])
    #expect(try titles(context, !(\.weight > 1)) == ["Birne", "apple"])
    #expect(try titles(context, \.folder?.name == "Home") == ["Birne", "cherry"])
    #expect(try titles(context, \.folder == nil) == ["apple"])
    #expect(try titles(context, \.folder == folder) == ["Birne", "cherry"])
    #expect(try titles(context, .among(\.stars, [1, 3, 7])) == ["apple", "cherry"])
    #expect(try titles(context, .contains(\.title, "rr")) == ["cherry"])
    #expect(try titles(context, .begins(\.title, with: "b", .caseInsensitive)) == ["Birne"])
    #expect(try titles(context, .like(\.title, "?pp*")) == ["apple"])
    #expect(try titles(context, .property("folder.name", equals: .string("Home"))) == ["Birne", "cherry"])
    #expect(try titles(context, .all).count == 3)
    #expect(try titles(context, .none).isEmpty)
  }

  @Test(arguments: [true, false], [true, false])
  func `identifiers come as objects do: in order, within the limit, saved or not, in a child too`(
    isSaved: Bool, isChild: Bool
  ) throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let context = isChild ? parent.makeChild() : parent
    for title in ["b", "d", "a", "c"] { try context.insert(Note.self) { $0.title = title } }
    if isSaved { try context.save() }
    let request = FetchRequest<Note>().where(\.title != "d").sorted(by: \.title, .descending).limit(2)

    #expect(try context.identifiers(request) == context.fetch(request).map(\.objectID))
    #expect(
      try context.identifiers(request).map { try #require(context.object(for: $0) as? Note).title } == [
        "c", "b",
      ])
    #expect(try context.count(Note.self, where: \.title != "d") == 3)
    #expect(try context.count(Note.self) == 4)
  }

  @Test func `new objects are found between others, before and after some of them go`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    func insert(_ range: Range<Int>) throws -> [Note] {
      try range.map { number in
        try context.insert(Folder.self) { $0.name = "\(number)" }
        return try context.insert(Note.self) { $0.title = "\(number)" }
      }
    }
    func found() throws -> [String] { try titles(context, .all) }

    let first = try insert(0..<3)
    #expect(try found() == ["0", "1", "2"])
    context.delete(first[0])
    _ = try insert(3..<5)
    #expect(try found() == ["1", "2", "3", "4"])
    try context.save()
    _ = try insert(5..<9)
    #expect(try found() == ["1", "2", "3", "4", "5", "6", "7", "8"])
    context.rollback()
    _ = try insert(9..<10)
    #expect(try found() == ["1", "2", "3", "4", "9"])
  }

  @Test func `limit and offset count unsaved changes`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    for title in ["a", "c", "e", "g"] { try context.insert(Note.self) { $0.title = title } }
    try context.save()
    let all = try context.fetch(FetchRequest<Note>().sorted(by: \.title))
    context.delete(all[1])
    try context.insert(Note.self) { $0.title = "b" }
    all[0].title = "z"

    let page = try context.fetch(FetchRequest<Note>().sorted(by: \.title).offset(1).limit(2))

    #expect(page.map(\.title) == ["e", "g"])
    #expect(try context.count(FetchRequest<Note>()) == 4)
  }

  @Test func `a row is one object in a context`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self) { $0.title = "one" }
    try context.save()

    let again = try #require(try context.first(Note.self, where: \.title == "one"))

    #expect(again === note)
    #expect(context.object(for: note.objectID) === note)
    let uri = note.objectID.uri
    #expect(fixture.store.objectID(uri: uri) == note.objectID)
    let other = try fixture.store.newContext()
    let fault = try #require(other.object(for: note.objectID) as? Note)
    #expect(fault.isFault && fault.title == "one" && !fault.isFault)
  }

  @Test func `a change saved in one context reaches another`() throws {
    let fixture = try TemporaryStore()
    let first = try fixture.store.newContext()
    let note = try first.insert(Note.self) { $0.title = "old" }
    try first.save()
    let second = try fixture.store.newContext()
    let copy = try #require(try second.fetch(Note.self).first)
    note.title = "new"
    try first.save()

    second.mergePendingChanges()

    #expect(copy.title == "new")
  }

  @Test func `members that came or went in one context do so in another`() throws {
    let fixture = try TemporaryStore()
    let first = try fixture.store.newContext()
    let note = try first.insert(Note.self) { $0.title = "n" }
    let tag = try first.insert(Tag.self) { $0.name = "t" }
    let (old, new) = (try first.insert(Folder.self), try first.insert(Folder.self))
    note.folder = old
    try first.save()
    let second = try fixture.store.newContext()
    let theirs = try #require(second.object(for: tag.objectID) as? Tag)
    let theirFolders = try [old, new].map { try #require(second.object(for: $0.objectID) as? Folder) }
    #expect(theirs.notes.isEmpty && theirFolders.map(\.notes.count) == [1, 0])

    tag.$notes.insert(note)
    note.folder = new
    try first.save()
    second.mergePendingChanges()

    #expect(theirs.notes.count == 1 && theirFolders.map(\.notes.count) == [0, 1])
  }

  @Test func `what another connection commits is noticed by the next fetch`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    try context.insert(Note.self) { $0.title = "old" }
    try context.save()
    let note = try #require(try context.fetch(Note.self).first)
    let connection = try fixture.store.newConnection()
    try connection.run("UPDATE ZNOTE SET ZTITLE = 'new', Z_OPT = Z_OPT + 1")

    _ = try context.fetch(Folder.self)

    #expect(note.title == "new")
  }

  @Test(arguments: [true, false])
  func `numbers of rows beyond any bound are taken, with and without unsaved changes`(isSaved: Bool) throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    for number in 0..<3 { try context.insert(Note.self) { $0.title = "\(number)" } }
    if isSaved { try context.save() }
    func count(_ limit: Int?, _ offset: Int) throws -> Int {
      var request = FetchRequest<Note>()
      request.limit = limit
      request.offset = offset
      return try context.fetch(request).count
    }

    #expect(try count(-1, 0) == 0)
    #expect(try count(nil, -1) == 3)
    #expect(try count(.max, 1) == 2)
    #expect(try count(.max, .max) == 0)
    #expect(try count(.min, .min) == 0)
  }

  @Test(arguments: [true, false])
  func `conditions that are joined in a loop are as many as one likes`(isSaved: Bool) throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    for number in 0..<5 { try context.insert(Note.self) { $0.stars = Int16(number) } }
    if isSaved { try context.save() }
    var any: FetchPredicate<Note> = \Note.stars == 1
    var all: FetchPredicate<Note> = \Note.stars != 1
    for number in 0..<3_000 {
      let other = Int16(number + 3)
      any = any || \Note.stars == other
      all = all && \Note.stars != other
    }

    #expect(try context.fetch(Note.self, where: any).count == 3)
    #expect(try context.fetch(Note.self, where: all).count == 2)
  }

  @Test func `a key path that takes a related object for granted is refused, and does not stop the program`()
    throws
  {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()

    #expect(throws: ContextError.self) { try context.fetch(Note.self, where: \.folder!.name == "x") }
  }
}
