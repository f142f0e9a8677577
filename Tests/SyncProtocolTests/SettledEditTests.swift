import BackendConformance
import ChangeTracking
import ObjectStore
import TemporaryFolders
import Testing

@testable import SyncProtocol

/// Unsaved edits that met what a synchronisation brought: the next one tells, whether or not it brings anything.
@Suite struct SettledEditTests {
  private let remote = MemoryBackend()
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    model = try ManagedObjectModel(entities: [
      EntityDeclaration("Card", attributes: [.init("ticdsSyncID", .string), .init("text", .string)])
    ])
  }

  private func device(_ client: String) async throws -> (ManagedObjectContext, DocumentSyncManager) {
    let store = try PersistentStore(model: model, path: folder.file(client))
    let application = ApplicationSyncManager(
      backend: remote,
      configuration: try ApplicationConfiguration(
        application: "com.example.cards", client: client, clientDescription: client))
    try await application.register(.none)
    let document = try DocumentSyncManager(
      application: application, document: "cards",
      replica: try store.newReplica(Replica.Configuration(client: client)))
    try await document.register(mayCreate: true)
    return (try store.newContext(), document)
  }

  private func card(_ context: ManagedObjectContext) throws -> ManagedObject {
    context.mergePendingChanges()
    return try #require(try context.fetch(FetchRequest<ManagedObject>(entity: "Card")).first)
  }

  @Test func `what became of an edit stands in the report of a sync without news, once`() async throws {
    let (mine, here) = try await device("here")
    let (theirs, there) = try await device("there")
    try mine.insert(entity: "Card")["text"] = .string("before")
    try mine.save()
    for document in [here, there] { try await document.synchronize() }
    mine.mergePolicy = .objectWins
    try card(mine)["text"] = .string("mine")
    try card(theirs)["text"] = .string("theirs")
    try theirs.save()
    for document in [there, here] { try await document.synchronize() }
    try mine.save()

    let report = try await here.synchronize()

    #expect(report.pulled == 0)
    #expect(report.conflicts.map(\.outcome) == [.local])
    #expect(report.conflicts.first?.localContent == .value(.string("mine")))
    #expect(report.conflicts.first?.remoteContent == .value(.string("theirs")))
    #expect(try await here.synchronize().conflicts.isEmpty)
  }
}
