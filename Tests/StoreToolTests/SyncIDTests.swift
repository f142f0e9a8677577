import ObjectStore
import Testing

/// Identifiers that synchronisation gives, as `verify` sees them.
@Suite struct SyncIDTests {
  @Test func `two objects with one sync ID are an error that a synchronisation mends`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Note", attributes: [.init("ticdsSyncID", .string, isIndexed: true)])
    ])
    let context = try PersistentStore(model: model, path: tool.path("store")).newContext()
    for _ in 0..<2 { try context.insert(entity: "Note")["ticdsSyncID"] = .string("same") }
    try context.insert(entity: "Note")["ticdsSyncID"] = .string("other")
    try context.save()

    let result = try await tool.run("verify", tool.path("store"))

    #expect(result.ending == .exited(1), "\(result.errors)")
    #expect(result.output.contains("its sync ID is that of another object"))
    #expect(result.output.contains("1 error,"))
  }
}
