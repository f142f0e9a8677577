import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// `status`: where the notebook stands, without a request to the remote.
enum StatusVerb {
  static let command = Command(
    "status", "Shows where the notebook stands; needs no network.",
    [StoreParameters.store, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let settings = try NotebookSettings(contentsOf: folder.settings)
    let status: DocumentStatus
    do {
      status = try await NotebookSync.document(of: folder, settings).status()
    } catch let error as SyncError {
      throw ToolFailure(error, remote: settings.remote)
    }
    if try arguments[StoreParameters.json] {
      console.print(json(status).text)
    } else {
      print(status, settings, console)
    }
  }

  private static func pending(_ status: DocumentStatus) -> Int {
    status.replica.pendingObjects + status.replica.frozenChanges
  }

  /// The sets applied of each client; a client whose store was restored has several authors.
  private static func applied(_ status: DocumentStatus) -> [(client: String, sets: UInt64)] {
    var sets: [String: UInt64] = [:]
    for applied in status.replica.applied { sets[applied.client, default: 0] += applied.sequence }
    return sets.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func lastSync(_ status: DocumentStatus) -> String? {
    status.lastSync.map { Date(timeIntervalSince1970: Double($0) / 1000).formatted(.iso8601) }
  }

  private static func json(_ status: DocumentStatus) -> JSONValue {
    [
      "pending": .integer(Int64(pending(status))),
      "applied": .object(applied(status).map { .init($0.client, .integer(Int64($0.sets))) }),
      "devices": .array(
        status.devices.map { device in
          [
            "client": device.client.map { .string($0) } ?? .null,
            "author": .string(device.author.description),
            "isThisDevice": .boolean(device.isThisDevice), "pushed": .integer(Int64(device.pushed)),
            "seen": .integer(Int64(device.seen)), "hasSeenEverything": .boolean(device.hasSeenEverything),
          ]
        }),
      "lastSync": lastSync(status).map { .string($0) } ?? .null,
    ]
  }

  private static func print(_ status: DocumentStatus, _ settings: NotebookSettings, _ console: Console) {
    console.print("remote:    \(settings.remote)\(settings.isEncrypted ? " (encrypted)" : "")")
    console.print("pending:   \(pending(status)) changes that the remote does not hold yet")
    console.print("last sync: \(lastSync(status) ?? "never")")
    for (client, sets) in applied(status) { console.print("applied:   \(sets) sets of \(client)") }
    for device in status.devices {
      let name = device.isThisDevice ? "this device" : device.client ?? device.author.description
      console.print("device:    \(name): \(device.hasSeenEverything ? "has everything" : "lacks changes")")
    }
  }
}
