import ChangeTracking
import Crypto
import FileManagerBackend
import Foundation
import ObjectStore
import SyncProtocol

final class Note: ManagedObject {
  @Attribute var title: String = ""
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToMany(inverse: \Tag.notes) var tags: Set<Tag>
}

final class Tag: ManagedObject {
  @Attribute var name: String = ""
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToMany var notes: Set<Note>
}

final class Article: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute(userInfo: .merging(.counter)) var likes: Int64 = 0
  @Attribute(userInfo: .merging(.greatest)) var lastOpened: Date?
  @Attribute(userInfo: .merging(.group("period"))) var start: Date?
  @Attribute(userInfo: .merging(.group("period"))) var end: Date?
}

/// The examples of the guide for application developers, as they stand there.
enum GuideExamples {
  static func synchronize(
    client: String, at path: String, folder: String, password: String
  ) async throws -> DocumentSyncManager {
    let store = try PersistentStore(model: ManagedObjectModel(Note.self, Tag.self), path: path)
    let application = ApplicationSyncManager(
      backend: FileManagerBackend(folder: folder),
      configuration: try ApplicationConfiguration(
        application: "com.example.notes", client: client, clientDescription: "Anna's laptop"))
    try await application.register(.password(password))
    let document = try DocumentSyncManager(
      application: application, document: "notes", replica: store.newReplica(.init(client: client)))
    try await document.register()
    let report = try await document.synchronize()
    print("\(report.pushed) changes sent, \(report.applied) received")
    return document
  }

  static func register(
    _ application: ApplicationSyncManager, keys: KeyRing, otherPassword: String
  ) async throws -> ApplicationRegistration {
    let registration = try await application.register(.keysAndPassword(keys, otherPassword))
    return registration
  }

  static func begin(
    _ application: ApplicationSyncManager, client: String, password: String, at path: String,
    model: ManagedObjectModel
  ) async throws {
    try await application.register(.password(password))
    let begun = try await application.document("notes").beginStore(at: path) { path in
      let store = try PersistentStore(model: model, path: path)
      try store.requireTablesOfModel()
      return try store.newReplica(Replica.Configuration(client: client))
    }
    for finding in begun.findings { print(finding) }
  }

  static func beginAnew(
    _ application: ApplicationSyncManager, client: String, at path: String, model: ManagedObjectModel
  ) async throws -> Bool {
    let begun = try await application.document("notes").replaceStore(
      at: path,
      opening: { path in
        let store = try PersistentStore(model: model, path: path)
        try store.requireTablesOfModel()
        return try store.newReplica(Replica.Configuration(client: client))
      },
      making: { path in _ = try PersistentStore(model: model, path: path) })
    return begun.store != nil
  }

  static func schedule(_ document: DocumentSyncManager, isOnline: Bool) async throws -> SyncReport {
    let scheduler = SyncScheduler(document)
    await scheduler.start()
    await scheduler.noteSave()  // after each save
    await scheduler.networkChanged(isReachable: isOnline)  // as your system tells
    let report = try await scheduler.synchronize()  // when the user asks
    return report
  }

  static func show(_ document: DocumentSyncManager) async throws {
    for device in try await document.devices() where !device.isThisDevice {
      let name = device.name ?? "A device without a name"
      switch device.presence {
      case .present:
        print("\(name) lacks \(device.lacks ?? 0) sets, \(device.holding?.bytes ?? 0) bytes are kept for it")
      case .absent: print("\(name) was away for so long that nothing is kept for it")
      case .removed(let removal): print("\(name) was removed by \(removal?.remover ?? "another device")")
      }
    }
  }

  static func remove(_ lost: DocumentDevice, from document: DocumentSyncManager) async throws {
    try await document.removeDevice(lost.author)
  }
}
