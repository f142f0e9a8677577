import ByteFixtures
import Foundation
import ObjectStore
import ProcessTesting
import TICDSSQLite
import Testing

/// The verb `migrate` of the built tool, and what is left when its process is killed.
@Suite struct MigrateTests {
  private let tool: StoreTool
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel

  init() throws {
    tool = try StoreTool()
    let note = EntityDeclaration(
      "Note", attributes: [.init("title", .string, isIndexed: true), .init("size", .integer32)],
      relationships: [.toOne("folder", to: "Folder", inverse: "notes")])
    let folder = EntityDeclaration(
      "Folder", attributes: [.init("name", .string)],
      relationships: [.toMany("notes", to: "Note", inverse: "folder")])
    old = try ManagedObjectModel(entities: [note, folder])
    var longer = note
    longer.properties[1] = .attribute(.init("extent", .integer64, renamingIdentifier: "size"))
    new = try ManagedObjectModel(entities: [EntityDeclaration("Album"), longer, folder])
    try Data(new.xml.utf8).write(to: URL(filePath: tool.path("New.contents")))
    try Data(old.xml.utf8).write(to: URL(filePath: tool.path("Old.contents")))
  }

  private func makeStore(_ name: String, count: Int) throws {
    let store = try PersistentStore(model: old, path: tool.path(name))
    let context = try store.newContext()
    let folder = try context.insert(entity: "Folder")
    for number in 0..<count {
      let note = try context.insert(entity: "Note")
      note["title"] = .string("Note \(number)")
      note["size"] = .integer(Int64(number))
      note.setTarget(folder, at: try #require(note.entity.index(of: "folder")))
    }
    try context.save()
  }

  private func sizes(_ path: String) throws -> [Int64] {
    let store = try StoreFile(path: path)
    let note = try #require(store.model.entity(named: "Note"))
    let index = try #require(note.index(of: store.model.entities.count == 3 ? "extent" : "size"))
    return try store.objects().allObjects().filter { $0.reference.entity == note.index }.compactMap {
      if case .integer(let size) = $0.attributes[index] { size } else { nil }
    }
  }

  @Test func `a copy of another version is written, and the store stays as it was`() async throws {
    defer { tool.remove() }
    try makeStore("store.sqlite", count: 10)
    let before = try await tool.run("hash", tool.path("store.sqlite")).output

    let result = try await tool.run(
      "migrate", tool.path("store.sqlite"), "--to", tool.path("New.contents"), "--output",
      tool.path("new.sqlite"))

    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(try await tool.run("hash", tool.path("store.sqlite")).output == before)
    #expect(
      try await tool.run("hash", tool.path("new.sqlite")).output
        == tool.run("hash", tool.path("New.contents")).output)
    #expect(try sizes(tool.path("new.sqlite")) == Array(0..<10))
    #expect(try await tool.run("verify", tool.path("new.sqlite")).ending == .exited(0))
    #expect(!FileManager.default.fileExists(atPath: tool.path("new.sqlite-wal")))
  }

  @Test func `what cannot be inferred is named, with exit code 12`() async throws {
    defer { tool.remove() }
    try makeStore("store.sqlite", count: 1)
    let migrated = try await tool.run(
      "migrate", tool.path("store.sqlite"), "--to", tool.path("New.contents"), "--in-place")
    #expect(migrated.ending == .exited(0), "\(migrated.errors)")

    // Back again, where a longer integer does not fit into a shorter one.
    var narrow = old.xml
    narrow = narrow.replacing("name=\"size\"", with: "name=\"size\" elementID=\"extent\"")
    try Data(narrow.utf8).write(to: URL(filePath: tool.path("Narrow.contents")))
    let result = try await tool.run(
      "migrate", tool.path("store.sqlite"), "--to", tool.path("Narrow.contents"), "--in-place")

    #expect(result.ending == .exited(12))
    #expect(result.errors.contains("Note.size"), "\(result.errors)")

    // What cannot be inferred is of the store that is there, and not of one on the way.
    let copied = try await tool.run(
      "migrate", tool.path("store.sqlite"), "--to", tool.path("Narrow.contents"), "--output",
      tool.path("narrow.sqlite"))
    #expect(copied.ending == .exited(12))
    #expect(
      copied.errors.contains("/store.sqlite: the migration cannot be inferred: ")
        && !copied.errors.contains("unfinished"), "\(copied.errors)")
  }

  @Test func `objects that the new model has no entity for are dropped only if that is agreed to`()
    async throws
  {
    defer { tool.remove() }
    try makeStore("store.sqlite", count: 3)
    let other = try ManagedObjectModel(entities: [EntityDeclaration("Album"), EntityDeclaration("Folder")])
    try Data(other.xml.utf8).write(to: URL(filePath: tool.path("Other.contents")))
    let words = ["migrate", tool.path("store.sqlite"), "--to", tool.path("Other.contents"), "--in-place"]
    let before = try await tool.run("hash", tool.path("store.sqlite")).output

    let refused = try await tool.run(words)

    #expect(refused.ending == .exited(14) && refused.errors.contains("Note"), "\(refused.errors)")
    #expect(try await tool.run("hash", tool.path("store.sqlite")).output == before)
    #expect(try await tool.run(words + ["--lossy"]).ending == .exited(0))
  }

  @Test func `a store that other devices are in step with is not migrated in place`() async throws {
    defer { tool.remove() }
    try makeStore("store.sqlite", count: 1)
    try Connection(path: tool.path("store.sqlite")).execute(script: "CREATE TABLE TICDS_STATE (key TEXT)")

    let result = try await tool.run(
      "migrate", tool.path("store.sqlite"), "--to", tool.path("New.contents"), "--in-place", "--lossy")

    #expect(result.ending == .exited(12) && result.errors.contains("other devices"), "\(result.errors)")
  }

  @Test func `one must say where to write`() async throws {
    defer { tool.remove() }
    try makeStore("store.sqlite", count: 1)

    let result = try await tool.run("migrate", tool.path("store.sqlite"), "--to", tool.path("New.contents"))

    #expect(result.ending == .exited(2))
  }

  /// strace(1) counts what a program asks the system for, and kills it at the n-th request of a kind, before that is done.
  @Test(.enabled("strace is missing, or may not follow programs here") { await FatalRequest.isPossible })
  func `killed before any step on disk, a store is of the old version or of the new one`() async throws {
    defer { tool.remove() }
    let count = 400
    try makeStore("made.sqlite", count: count)
    // A copy is one file: nothing of it lies in a log beside it.
    try StoreFile(path: tool.path("made.sqlite")).copy(to: tool.path("original.sqlite"))
    let words = [
      Checkout.program("ticds-store").path, "migrate", tool.path("store.sqlite"), "--to",
      tool.path("New.contents"), "--in-place",
    ]
    var killed: Set<FatalRequest.Kind> = []
    var columns: Set<String> = []

    for kind in FatalRequest.Kind.allCases {
      for number in kind.numbers {
        for suffix in ["", "-wal", "-shm", "-journal"] {
          try? FileManager.default.removeItem(atPath: tool.path("store.sqlite") + suffix)
        }
        try FileManager.default.copyItem(
          atPath: tool.path("original.sqlite"), toPath: tool.path("store.sqlite"))
        let request = FatalRequest(kind: kind, number: number)
        let ending = try await request.run(words).ending
        let isOver = ending != .killed(9)
        if isOver { #expect(ending == .exited(0), "\(request)") } else { killed.insert(kind) }

        let connection = try Connection(path: tool.path("store.sqlite"))
        // Takes back what was begun, as the application does.
        _ = try connection.first("SELECT count(*) FROM sqlite_master")
        let store = try StoreFile(path: tool.path("store.sqlite"))
        #expect(store.hashDifferences.isEmpty, "\(request)")
        let column = store.model.entities.count == 3 ? "ZEXTENT" : "ZSIZE"
        columns.insert(column)
        #expect(
          try connection.first("SELECT count(*) FROM ZNOTE WHERE \(column) = Z_PK - 1 AND ZFOLDER = 1")
            == .integer(Int64(count)), "\(request)")
        #expect(try connection.first("PRAGMA integrity_check") == .text("ok"), "\(request)")
        if isOver { break }
      }
    }

    #expect(killed.isSuperset(of: [.write, .writePage, .flush]))
    #expect(columns == ["ZSIZE", "ZEXTENT"])
  }
}
