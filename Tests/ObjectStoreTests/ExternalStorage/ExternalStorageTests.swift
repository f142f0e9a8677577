import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Long values in files of their own beside the store, read and written through contexts.
@Suite struct ExternalStorageTests {
  private let fixture: TemporaryStore
  private static let long = [UInt8](repeating: 7, count: 200_000)
  private static let other = [UInt8](repeating: 9, count: 200_000)

  init() throws {
    fixture = try TemporaryStore(
      ManagedObjectModel(entities: [
        EntityDeclaration(
          "Photo",
          attributes: [
            .init("name", .string), .init("pixels", .binary, allowsExternalStorage: true),
            .init("extra", .transformable, allowsExternalStorage: true),
          ])
      ]))
  }

  private var files: Set<String> {
    let folder = fixture.folder.appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
    return Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
  }

  private func fetch(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.fetch(FetchRequest<ManagedObject>(entity: "Photo"))
  }

  @discardableResult private func insert(_ pixels: [UInt8]) throws -> ObjectID {
    let context = try fixture.store.newContext()
    let photo = try context.insert(entity: "Photo")
    photo["pixels"] = .data(pixels)
    try context.save()
    return photo.objectID
  }

  @Test(arguments: [true, false])
  func `requests ask only whether there is a value, saved or not`(isSaved: Bool) throws {
    let context = try fixture.store.newContext()
    for value in [AttributeValue.data([1]), .data(Self.long), .null] {
      try context.insert(entity: "Photo")["pixels"] = value
    }
    if isSaved { try context.save() }
    let request = FetchRequest<ManagedObject>(entity: "Photo")
    let pixels = FetchExpression<ManagedObject, AttributeValue>.property("pixels")

    #expect(try context.count(request.where(.property("pixels", equals: .null))) == 1)
    #expect(try context.count(request.where(pixels != .null)) == 2)
    for wrong in [
      request.where(pixels == .data([1])), request.where(pixels < .data(Self.long)),
      request.sorted(by: "pixels"), request.where(pixels != .null && pixels != .data([])),
    ] {
      let error = #expect(throws: ContextError.self) { try context.fetch(wrong) }
      guard case .externalValue("Photo", "pixels")? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test(arguments: [0, 1, 131_072, 131_073, 1_000_000])
  func `a value of any length comes back, and only long ones have files`(length: Int) throws {
    let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }

    try insert(value)

    let photo = try #require(try fetch(fixture.store.newContext()).first)
    #expect(photo["pixels"] == .data(value))
    #expect(photo["extra"] == .null)
    #expect(files.count == (length > 131_072 ? 1 : 0))
    try fixture.check()
  }

  @Test func `the column says where the value is, as Core Data has it`() throws {
    try insert([1, 2])
    try insert(Self.long)

    let connection = try fixture.store.newConnection()

    #expect(try connection.first("SELECT ZPIXELS FROM ZPHOTO WHERE Z_PK = 1") == .blob([1, 1, 2]))
    let name = try #require(files.first)
    #expect(
      try connection.first("SELECT ZPIXELS FROM ZPHOTO WHERE Z_PK = 2") == .blob([2] + Array(name.utf8) + [0])
    )
  }

  @Test func `the file of a replaced value goes after the commit`() throws {
    try insert(Self.long)
    let before = files
    let context = try fixture.store.newContext()
    let photo = try #require(try fetch(context).first)

    photo["pixels"] = .data(Self.other)
    #expect(files == before)
    try context.save()

    #expect(files.count == 1)
    #expect(files.isDisjoint(with: before))
    #expect(photo["pixels"] == .data(Self.other))
  }

  @Test func `a change of another attribute leaves the file alone`() throws {
    try insert(Self.long)
    let before = files
    let context = try fixture.store.newContext()

    try fetch(context).first?["name"] = .string("sunset")
    try context.save()

    #expect(files == before)
    #expect(try fetch(fixture.store.newContext()).first?["pixels"] == .data(Self.long))
  }

  @Test func `the file of a deleted object goes, whoever deletes it`() throws {
    try insert(Self.long)
    let second = try insert(Self.long)
    let context = try fixture.store.newContext()
    context.delete(try fetch(context)[0])
    try context.save()
    #expect(files.count == 1)

    let connection = try fixture.store.newConnection()
    let editor = RowEditor(schema: fixture.store.schema, connection: connection)
    _ = try connection.transaction { try editor.delete(0, key: second.key) }

    #expect(files.isEmpty)
  }

  @Test(arguments: [false, true])
  func `the files of rows that a batch deletes go after the commit`(isRefused: Bool) throws {
    try insert(Self.long)
    try insert([1])
    let kept = try insert(Self.other)
    let before = files
    let context = try fixture.store.newContext()
    let doomed = FetchRequest<ManagedObject>(entity: "Photo")
    if isRefused {
      let other = try fixture.store.newConnection()
      try other.run("CREATE TRIGGER refusal BEFORE DELETE ON ZPHOTO BEGIN SELECT RAISE(ABORT, 'no'); END")
      #expect(throws: (any Error).self) { try context.deleteRows(doomed) }
      #expect(files == before && before.count == 2)
      return
    }

    try context.deleteRows(doomed.limit(2))

    #expect(files.count == 1)
    #expect(try fetch(context).map(\.objectID) == [kept])
    #expect(try fetch(context).first?["pixels"] == .data(Self.other))
    try fixture.check()
  }

  @Test func `a batch gives each row a file of its own, and takes the old ones away`() throws {
    try insert(Self.long)
    try insert([1])
    let before = files
    let context = try fixture.store.newContext()
    let all = FetchRequest<ManagedObject>(entity: "Photo")

    try context.updateRows(all, .set("pixels", to: .data(Self.other)))

    #expect(files.count == 2 && files.isDisjoint(with: before))
    #expect(
      try fetch(fixture.store.newContext()).map { $0["pixels"] }
        == Array(repeating: .data(Self.other), count: 2))
    try context.updateRows(all, .set("pixels", to: .null))
    #expect(files.isEmpty)
    #expect(try fetch(fixture.store.newContext()).map { $0["pixels"] } == [.null, .null])
  }

  @Test func `rows that a batch inserts have files like others`() throws {
    let context = try fixture.store.newContext()

    try context.insertRows(entity: "Photo", from: [Self.long, [1]]) { row, pixels in
      row["pixels"] = .data(pixels)
    }

    #expect(files.count == 1)
    #expect(try fetch(context).map { $0["pixels"] } == [.data(Self.long), .data([1])])
  }

  @Test func `a value for which there is no room fails its save, and nothing else`() throws {
    try insert(Self.long)
    let folder = fixture.folder.appending(path: ".store_SUPPORT")
    let aside = fixture.folder.appending(path: "aside")
    try FileManager.default.moveItem(at: folder, to: aside)
    try Data().write(to: folder)
    let context = try fixture.store.newContext()
    let photo = try #require(try fetch(context).first)
    photo["pixels"] = .data(Self.other)
    try context.insert(entity: "Photo")["name"] = .string("small")

    #expect(throws: StoreError.self) { try context.save() }

    #expect(try fetch(fixture.store.newContext()).count == 1)
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.moveItem(at: aside, to: folder)
    #expect(try fetch(fixture.store.newContext()).first?["pixels"] == .data(Self.long))
    try context.save()
    #expect(try fetch(fixture.store.newContext()).map { $0["pixels"] } == [.data(Self.other), .null])
    #expect(files.count == 1)
  }

  @Test func `a save that fails leaves the old file and no new one`() throws {
    final class Refusal: SaveParticipant {
      struct Refused: Error {}
      func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws { throw Refused() }
    }
    try insert(Self.long)
    let before = files
    let context = try fixture.store.newContext()
    context.addParticipant(Refusal())
    try fetch(context).first?["pixels"] = .data(Self.other)
    try context.insert(entity: "Photo")["pixels"] = .data(Self.other)

    #expect(throws: Refusal.Refused.self) { try context.save() }

    #expect(files == before)
    context.rollback()
    #expect(try fetch(context).first?["pixels"] == .data(Self.long))
  }

  @Test func `a part of a transaction that is undone keeps the files it would have removed`() throws {
    struct Undone: Error {}
    let photo = try insert(Self.long)
    let before = files
    let connection = try fixture.store.newConnection()
    let editor = RowEditor(schema: fixture.store.schema, connection: connection)

    _ = try connection.transaction {
      #expect(throws: Undone.self) {
        try connection.savepoint {
          try editor.delete(0, key: photo.key)
          throw Undone()
        }
      }
    }

    #expect(files == before)
  }

  @Test func `a file that a crash left is reported, and removed when asked`() throws {
    try insert(Self.long)
    let used = files
    let orphan = UUID().uuidString
    try Data([1]).write(to: fixture.folder.appending(path: ".store_SUPPORT/_EXTERNAL_DATA/\(orphan)"))

    var kinds: [StoreFinding.Kind] = []
    try StoreFile(path: fixture.path).verify { kinds.append($0.kind) }
    #expect(kinds == [.unusedFile])

    #expect(try fixture.store.removeUnusedFiles() == 1)
    #expect(files == used)
  }

  @Test func `values are read when they are asked for, not when their object is fetched`() throws {
    try insert(Self.long)
    let name = try #require(files.first)
    let photo = try #require(try fetch(fixture.store.newContext()).first)
    let file = fixture.folder.appending(path: ".store_SUPPORT/_EXTERNAL_DATA/\(name)")

    try Data(Self.other).write(to: file)

    #expect(photo["pixels"] == .data(Self.other))
  }

  @Test func `a copy of a whole store keeps long values in files of its own`() throws {
    try insert(Self.long)
    try insert([5])
    let copy = fixture.folder.appending(path: "copy.sqlite")

    try StoreFile(path: fixture.path).copy(to: copy.path)

    let folder = fixture.folder.appending(path: ".copy_SUPPORT/_EXTERNAL_DATA")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 1)
    #expect(files.isDisjoint(with: names))
    let store = try PersistentStore(model: fixture.store.model, path: copy.path)
    #expect(try PlainGraph(store) == PlainGraph(fixture.store))
  }

  @Test func `a migration moves values between rows and files`() throws {
    try insert(Self.long)
    try insert([5])
    func model(_ isExternal: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDeclaration(
          "Photo", attributes: [.init("pixels", .binary, allowsExternalStorage: isExternal)])
      ])
    }
    let options = PersistentStore.Options(access: .readWrite, migration: .automatic)

    let inside = try PersistentStore(model: model(false), path: fixture.path, options: options)
    #expect(try Set(fetch(inside.newContext()).map { $0["pixels"] }) == [.data(Self.long), .data([5])])
    #expect(files.isEmpty)

    let outside = try PersistentStore(model: model(true), path: fixture.path, options: options)
    #expect(try Set(fetch(outside.newContext()).map { $0["pixels"] }) == [.data(Self.long), .data([5])])
  }
}
