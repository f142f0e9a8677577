import FileManagerBackend
import TICDS

final class Chore: ManagedObject {
  @Attribute var title: String = ""
  @Attribute(indexed: true) var ticdsSyncID: String?  // makes the entity synchronised
}

func shareChores(device: String, store: String, folder: String, password: String) async throws -> [String] {
  let chores = try SyncedStore(
    model: ManagedObjectModel(Chore.self), at: store, application: "com.example.chores",
    through: FileManagerBackend(folder: folder), device: device, encryption: .password(password))
  let context = try chores.store.newContext()
  try context.insert(Chore.self).title = "Water the plants of \(device)"
  try context.save()
  try await chores.synchronize()
  return try context.fetch(FetchRequest<Chore>().sorted(by: \.title)).map(\.title)
}
