import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Values in files beside a store, which are told from those of another store by the name of their folder alone.
@Suite struct LongValueFileTests {
  private static let content = [UInt8](repeating: 7, count: 200_000)
  private let tool: StoreTool

  init() throws {
    tool = try StoreTool()
    for (name, isExternal) in [("Kept", true), ("Inline", false)] {
      try Data(Self.model(isExternal: isExternal).xml.utf8).write(
        to: URL(filePath: tool.path("\(name).contents")))
    }
  }

  private static func model(isExternal: Bool = true) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Note",
        attributes: [
          .init("title", .string), .init("image", .binary, allowsExternalStorage: isExternal),
        ] + (isExternal ? [] : [.init("extra", .string)]))
    ])
  }

  /// Makes a store with one long value in a file.
  private func makeStore(_ name: String) throws -> String {
    let path = tool.path(name)
    let context = try PersistentStore(model: Self.model(), path: path).newContext()
    let note = try context.insert(entity: "Note")
    note["image"] = .data(Self.content)
    try context.save()
    return path
  }

  private func image(_ path: String) throws -> AttributeValue? {
    let store = try StoreFile(path: path)
    let index = try #require(store.model.entity(named: "Note")?.index(of: "image"))
    return try store.objects().allObjects().first?.attributes[index]
  }

  private func files(_ name: String) throws -> [URL] {
    let folder = tool.folder.appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
  }

  @Test func `a copy whose long values would lie among those of its source is refused`() async throws {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")

    let copied = try await tool.run("copy", store, tool.path("notes.bak"))
    let migrated = try await tool.run(
      "migrate", store, "--to", tool.path("Inline.contents"), "--output", tool.path("notes.v2"))

    for result in [copied, migrated] {
      #expect(result.ending == .exited(11))
      #expect(
        result.errors.contains(".notes_SUPPORT") && result.errors.contains("“notes.sqlite”")
          && result.errors.contains("before the last dot"), "\(result.errors)")
    }
    #expect(try files("notes").count == 1)
    #expect(try await tool.run("copy", store, tool.path("other.bak")).ending == .exited(0))
    #expect(try image(tool.path("other.bak")) == .data(Self.content))
  }

  @Test func `a binary store keeps nothing beside it, so a copy may lie there`() async throws {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")
    #expect(try await tool.run("copy", store, tool.path("other.bin"), "--as", "binary").ending == .exited(0))

    let copied = try await tool.run("copy", store, tool.path("other.sqlite"))

    #expect(copied.ending == .exited(0), "\(copied.errors)")
    #expect(try image(tool.path("other.sqlite")) == .data(Self.content))
  }

  @Test func `what a copy that was killed has left is gone with the next one`() async throws {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")
    let working = tool.folder.appending(path: ".copy.sqlite.unfinished")
    let left = working.appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    try Data([1]).write(to: left.appending(path: UUID().uuidString))
    for name in ["lock", "store", "store-journal"] {
      try Data([1]).write(to: working.appending(path: name))
    }

    #expect(try await tool.run("copy", store, tool.path("copy.sqlite")).ending == .exited(0))

    #expect(try files("copy").count == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    #expect(!names.contains { $0.contains("unfinished") }, "\(names)")
    #expect(
      try await tool.run("verify", tool.path("copy.sqlite")).output == "0 errors, 0 warnings, 0 hints.\n")
  }

  @Test func `a migration in place takes no file away that the copy beside the store may need`() async throws
  {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")
    try FileManager.default.copyItem(atPath: store, toPath: tool.path("notes.bak"))

    let result = try await tool.run("migrate", store, "--to", tool.path("Inline.contents"), "--in-place")

    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(try image(store) == .data(Self.content))
    #expect(try image(tool.path("notes.bak")) == .data(Self.content))
  }

  @Test(arguments: ["plain", "new.sqlite", "new.v2"])
  func `a store is migrated to any name, with its files, also where a former one has left some`(
    name: String
  ) async throws {
    defer { tool.remove() }
    let former = try makeStore(name)
    try FileManager.default.removeItem(atPath: former)
    let store = try makeStore("notes.sqlite")
    try Data(
      ManagedObjectModel(entities: [
        EntityDeclaration(
          "Note",
          attributes: [
            .init("title", .string), .init("image", .binary, allowsExternalStorage: true),
            .init("extra", .string),
          ])
      ]).xml.utf8
    ).write(to: URL(filePath: tool.path("New.contents")))

    let result = try await tool.run(
      "migrate", store, "--to", tool.path("New.contents"), "--output", tool.path(name))

    #expect(result.ending == .exited(0), "\(result.errors)")
    let migrated = try StoreFile(path: tool.path(name))
    let values = try migrated.objects().allObjects().first?.attributes
    #expect(values?.contains(.data(Self.content)) == true)
    #expect(try image(store) == .data(Self.content))
    let left = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    #expect(!left.contains { $0.contains("migrating") || $0.hasSuffix("\(name).new_SUPPORT") }, "\(left)")
  }

  @Test(arguments: [true, false])
  func `a value whose file is missing is told of before it would become the reference or nothing`(
    isMigrated: Bool
  ) async throws {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")
    for file in try files("notes") { try FileManager.default.removeItem(at: file) }
    let words =
      isMigrated
      ? ["migrate", store, "--to", tool.path("Inline.contents"), "--output", tool.path("new")]
      : ["copy", store, tool.path("new"), "--as", "binary"]

    let refused = try await tool.run(words)
    let agreed = try await tool.run(words + ["--lossy"])

    #expect(refused.ending == .exited(14) && refused.errors.contains("Note.image: 1 values in files"))
    #expect(agreed.ending == .exited(0), "\(agreed.errors)")
    let values = try StoreFile(path: tool.path("new")).objects().allObjects().first?.attributes
    #expect(values?.allSatisfy(\.isNull) == true, "\(String(describing: values))")
  }

  @Test func `without the model nobody can tell which values lie in files, and that is said`() async throws {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")
    try Connection(path: store).run("DELETE FROM Z_MODELCACHE")

    for words in [["copy", store, tool.path("new")], ["dump", store]] {
      let result = try await tool.run(words)
      #expect(result.ending == .exited(14), "\(words[0])")
      #expect(result.errors.contains(".notes_SUPPORT: 1 files"), "\(result.errors)")
    }
    let named = try await tool.run(
      "copy", store, tool.path("new"), "--model", tool.path("Kept.contents"))
    #expect(named.ending == .exited(0), "\(named.errors)")
  }

  @Test func `what belongs to a store is looked for beside it, and not beside a link to it`() async throws {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")
    let folder = tool.folder.appending(path: "links")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let link = folder.appending(path: "other.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
    // The row is in the write-ahead log for as long as the connection lasts.
    let context = try PersistentStore(model: Self.model(), path: store).newContext()
    try context.insert(entity: "Note")["title"] = .string("in the log")
    try context.save()
    try Data(#"{"entity":"Note","attributes":{"image":"\#(Data(Self.content).base64EncodedString())"}}"#.utf8)
      .write(to: URL(filePath: tool.path("lines")))

    #expect(try await tool.run("count", link, "Note").output == "2\n")
    #expect(try await tool.run("import", link, tool.path("lines")).ending == .exited(0))

    #expect(try files("notes").count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other.sqlite"])
    #expect(try await tool.run("verify", store).ending == .exited(0))
    withExtendedLifetime(context) {}
  }

  @Test(arguments: [true, false])
  func
    `files behind a link in the place of their folder are read, and none is taken away or added as one's own`(
      isInPlace: Bool
    ) async throws
  {
    defer { tool.remove() }
    let store = try makeStore("notes.sqlite")
    let folder = tool.folder.appending(path: ".notes_SUPPORT/_EXTERNAL_DATA")
    let elsewhere = tool.folder.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: folder, to: elsewhere)
    try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: elsewhere)
    // A pipe among them is waited for by nobody.
    try #require(mkfifo(elsewhere.appending(path: UUID().uuidString).path, 0o600) == 0)
    let before = try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).sorted()
    let target = isInPlace ? ["--in-place"] : ["--output", tool.path("new")]

    let result = try await tool.run(
      ["migrate", store, "--to", tool.path("Inline.contents")] + target)

    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(try image(isInPlace ? store : tool.path("new")) == .data(Self.content))
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).sorted() == before)
  }
}
