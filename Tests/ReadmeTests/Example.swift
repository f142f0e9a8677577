import ChangeTracking
import FileManagerBackend
import ObjectStore
import SyncProtocol

final class Chore: ManagedObject {
  @Attribute var title: String = ""
  @Attribute(indexed: true) var ticdsSyncID: String?  // makes the entity synchronised
}

func shareChores(device: String, store path: String, folder: String, password: String) async throws
  -> [String]
{
  let store = try PersistentStore(model: ManagedObjectModel(Chore.self), path: path)
  store.recordChanges()
  let context = try store.newContext()
  try context.insert(Chore.self).title = "Water the plants of \(device)"
  try context.save()

  let application = ApplicationSyncManager(
    backend: FileManagerBackend(folder: folder),
    configuration: try ApplicationConfiguration(
      application: "com.example.chores", client: device, clientDescription: "The \(device)"))
  try await application.register(.password(password))
  let document = try DocumentSyncManager(
    application: application, document: "chores",
    replica: Replica(store: ManagedLocalStore(store: store), configuration: .init(client: device)))
  try await document.register()
  let report = try await document.synchronize()
  print("\(report.pushed) changes sent, \(report.applied) received")
  return try context.fetch(FetchRequest<Chore>().sorted(by: \.title)).map(\.title)
}
