import ChangeTracking
import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import Testing

/// A repair from a copy of before the keys were replaced, with the password of then.
@Suite struct FormerPasswordRepairTests {
  @Test
  func `no file of keys that was taken back comes, no older head, and the present password is asked for`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    let copy = try remote.copy()
    let first = try await remote.device("first")
    _ = try await first.application.replaceKeys(password: "another horse")
    try await first.push("five")

    let plan = try await remote.inspector.planRepair(from: copy.inspector)

    let coming = plan.actions.filter { action in
      [".keys", ".head"].contains { action.path.description.hasSuffix($0) }
    }
    #expect(coming.isEmpty, "\(coming)")
    #expect(plan.notes.contains { $0.contains("with the present password") }, "\(plan.notes)")
  }

  @Test func `where only the key of a founding is away, it is not the founding record that is waited for`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    let copy = try remote.copy()
    let application = try await remote.device("first").application
    _ = try await application.replaceKeys(password: "another horse")
    let store = try PersistentStore(
      model: ManagedObjectModel(Item.self), path: remote.folder.file("others.sqlite"))
    let others = try DocumentSyncManager(
      application: application, document: "others",
      replica: Replica(store: ManagedLocalStore(store: store), configuration: .init(client: "client-first")))
    try await others.register()
    _ = try await others.synchronize()

    let plan = try await remote.inspector.planRepair(from: copy.inspector)

    #expect(!plan.notes.contains { $0.contains("until its founding record is back") }, "\(plan.notes)")
    #expect(plan.notes.contains { $0.contains("until the key of its founding is at hand") }, "\(plan.notes)")
  }
}
