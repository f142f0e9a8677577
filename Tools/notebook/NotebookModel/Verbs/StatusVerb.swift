import CommandLineTool
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
    let isLocal = settings.isLocal == true
    let remote = try isLocal ? nil : folder.remembered(settings).remote
    let status: DocumentStatus
    do {
      // The keys may be lost, which is no reason not to tell where the notebook stands.
      status = try await NotebookSync.status(of: folder, settings)
    } catch let error as SyncError {
      throw NotebookFailures.failure(error, remote: remote ?? "")
    }
    let keys = keys(folder, settings)
    if try arguments[StoreParameters.json] {
      console.print(json(status, keys, isLocal: isLocal).text)
    } else {
      let connection = remote.map { $0 + (settings.isEncrypted ? " (encrypted)" : "") }
      console.print(
        "remote:    \(connection ?? "none yet; “notebook init --remote” joins this notebook to one")")
      let lines = StatusLines(
        status, keys: keys, titles: try titles(of: status.awaited, folder), isEncrypted: settings.isEncrypted)
      for line in lines.all { console.print(PrintableText.line(line)) }
    }
  }

  /// Stands for keys whose file cannot be read.
  static let unreadableKeys = "unreadable"

  /// Why the keys cannot be used; `nil` if they can.
  private static func keys(_ folder: NotebookFolder, _ settings: NotebookSettings) -> String? {
    guard settings.isEncrypted else { return nil }
    do {
      return try folder.keys.load() == nil ? "missing" : nil
    } catch {
      return error.code == .keysDamaged ? "damaged" : unreadableKeys
    }
  }

  private static func titles(of awaited: [AwaitedValue], _ folder: NotebookFolder) throws -> NoteTitles {
    try awaited.isEmpty ? NoteTitles() : NoteTitles(folder)
  }

  static func pending(_ status: DocumentStatus) -> Int {
    status.replica.pendingObjects + status.replica.frozenChanges
  }

  /// The sets applied of each client; a client whose store was restored has several authors.
  static func applied(_ status: DocumentStatus) -> [(client: String, sets: UInt64)] {
    var sets: [String: UInt64] = [:]
    // Of an author whose sets were all said again by others nothing tells which client it was.
    for applied in status.replica.applied where !applied.client.isEmpty {
      sets[applied.client, default: 0] += applied.sequence
    }
    return sets.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  static func lastSync(_ status: DocumentStatus) -> String? {
    status.lastSync.map(SyncOutput.time)
  }

  private static func json(_ status: DocumentStatus, _ keys: String?, isLocal: Bool) -> JSONValue {
    [
      "isLocal": .boolean(isLocal),
      "pending": .integer(Int64(pending(status))),
      "applied": .object(applied(status).map { .init($0.client, .integer(Int64($0.sets))) }),
      "devices": .array(
        status.devices.map { device in
          [
            "client": device.client.map { .string($0) } ?? .null,
            "name": device.name.map { .string($0) } ?? .null,
            "author": .string(device.author.description),
            "isThisDevice": .boolean(device.isThisDevice),
            "isFormerSelf": .boolean(device.isFormerSelf), "pushed": .integer(Int64(device.pushed)),
            "seen": .integer(Int64(device.seen)), "hasSeenEverything": .boolean(device.hasSeenEverything),
            "isRemoved": .boolean(device.isRemoved), "isSucceeded": .boolean(device.isSucceeded),
          ]
        }),
      "sharedIdentifiers": .integer(Int64(status.replica.sharedIdentifiers)),
      "blocked": .array(status.blocked.map(SyncOutput.json)),
      "givenUp": .array(
        status.givenUp.map { set in
          [
            "author": .string(set.author.description), "device": set.name.map { .string($0) } ?? .null,
            "first": .integer(Int64(clamping: set.first)),
            "sequence": .integer(Int64(clamping: set.sequence)),
          ]
        }),
      "asking": .array(
        status.asking.map { asking in
          [
            "author": .string(asking.author.description), "device": asking.name.map { .string($0) } ?? .null,
            "sequence": asking.sequence.map { .integer(Int64(clamping: $0)) } ?? .null,
            "since": .string(SyncOutput.time(asking.since)), "answer": .string(asking.answer.rawValue),
          ]
        }),
      "isDeleted": .boolean(status.isDeleted),
      "lastSync": lastSync(status).map { .string($0) } ?? .null,
      "awaited": .array(status.awaited.map(SyncOutput.json)),
      "obstructions": .array(
        status.obstructions.map {
          ["path": .string("\($0.path)"), "since": .string(SyncOutput.time($0.since))]
        }),
      "failure": status.failure.map { failure in
        [
          "code": .string("\(failure.code)"), "message": .string(failure.message),
          "recovery": .string(failure.recovery), "since": .string(SyncOutput.time(failure.since)),
        ]
      } ?? .null,
      "keys": keys.map { .string($0) } ?? .null,
      "missingKeys": .array(status.missingKeys.map { .string($0.identifier.description) }),
      "replacingKeys": .array(
        status.missingKeys.filter(\.isReplacement).map { .string($0.identifier.description) }),
      "separations": .array(status.separations.map { .string("\($0)") }),
      "isRemoved": .boolean(status.isRemoved),
    ]
  }
}
