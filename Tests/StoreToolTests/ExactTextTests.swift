import Foundation
import ObjectStore
import Testing

/// Texts that look alike and are not written alike: “é” is one character, or “e” with an accent.
@Suite struct ExactTextTests {
  private static let forms = ["e\u{301}", "\u{e9}"]

  private func tool() throws -> StoreTool {
    let tool = try StoreTool()
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Note", attributes: [.init("title", .string), .init("style", .transformable)])
    ])
    let context = try PersistentStore(model: model, path: tool.path("store.sqlite")).newContext()
    for form in Self.forms { try context.insert(entity: "Note")["title"] = .string(form) }
    try context.save()
    return tool
  }

  private func titles(_ path: String) throws -> [[UInt8]] {
    let store = try StoreFile(path: path)
    let index = try #require(store.model.entity(named: "Note")?.index(of: "title"))
    return try store.objects().allObjects().compactMap { object in
      if case .string(let text) = object.attributes[index] { Array(text.utf8) } else { nil }
    }
  }

  @Test func `each is kept as it is in a binary store and back`() async throws {
    let tool = try tool()
    defer { tool.remove() }
    let forms = Self.forms.map { Array($0.utf8) }

    #expect(
      try await tool.run("copy", tool.path("store.sqlite"), tool.path("binary"), "--as", "binary").ending
        == .exited(0))
    #expect(
      try await tool.run("copy", tool.path("binary"), tool.path("back"), "--as", "sqlite").ending
        == .exited(0))

    #expect(try titles(tool.path("binary")) == forms)
    #expect(try titles(tool.path("back")) == forms)
  }

  @Test func `a comparison of stores tells one from the other, and so do conditions`() async throws {
    let tool = try tool()
    defer { tool.remove() }
    try FileManager.default.copyItem(atPath: tool.path("store.sqlite"), toPath: tool.path("other.sqlite"))
    let store = try PersistentStore(
      model: StoreFile(path: tool.path("other.sqlite")).model, path: tool.path("other.sqlite"))
    let context = try store.newContext()
    let note = try #require(
      try context.fetch(FetchRequest<ManagedObject>(entity: "Note")).first {
        $0["title"] == .string(Self.forms[0])
      })
    note["title"] = .string(Self.forms[1])
    try context.save()

    #expect(
      try await tool.run("diff", tool.path("store.sqlite"), tool.path("other.sqlite")).ending == .exited(1))
    for (path, counts) in [("store.sqlite", ["1\n", "1\n"]), ("other.sqlite", ["0\n", "2\n"])] {
      for (form, count) in zip(Self.forms, counts) {
        let found = try await tool.run("count", tool.path(path), "Note", "--where", "title == '\(form)'")
        #expect(found.output == count, "\(path) \(form.utf8.count)")
      }
    }
  }

  @Test func `both may be in one list of a transformable value`() async throws {
    let tool = try tool()
    defer { tool.remove() }
    let line =
      #"{"entity":"Note","attributes":{"title":"list","style":["\#(Self.forms[0])","\#(Self.forms[1])"]}}"#
    try Data(line.utf8).write(to: URL(filePath: tool.path("lines")))

    #expect(
      try await tool.run("import", tool.path("store.sqlite"), tool.path("lines")).ending == .exited(0))

    let shown = try await tool.run("dump", tool.path("store.sqlite")).output
    #expect(
      Data(shown.utf8).range(of: Data(#"["\#(Self.forms[0])","\#(Self.forms[1])"]"#.utf8)) != nil, "\(shown)")
  }

  @Test func `both may be keys of one dictionary in a transformable value`() async throws {
    let tool = try tool()
    defer { tool.remove() }
    let pairs = "[\"\(Self.forms[0])\",1],[\"\(Self.forms[1])\",2]"
    let line =
      #"{"entity":"Note","attributes":{"title":"keys","style":{"$dictionary":[\#(pairs)]}}}"#
    try Data(line.utf8).write(to: URL(filePath: tool.path("lines")))
    let store = tool.path("new.sqlite")
    #expect(try await tool.run("create", tool.path("store.sqlite"), store).ending == .exited(0))
    #expect(try await tool.run("import", store, tool.path("lines")).ending == .exited(0))

    let dumped = try await tool.run("dump", store).output
    try Data(dumped.utf8).write(to: URL(filePath: tool.path("dumped")))
    let again = tool.path("again.sqlite")
    #expect(try await tool.run("create", store, again).ending == .exited(0))
    let imported = try await tool.run("import", again, tool.path("dumped"))

    #expect(imported.ending == .exited(0), "\(imported.errors)")
    let difference = try await tool.run("diff", store, again)
    #expect(!difference.output.contains("style"), "\(difference.output)")
    #expect(dumped.contains("$dictionary"), "\(dumped)")
  }
}
