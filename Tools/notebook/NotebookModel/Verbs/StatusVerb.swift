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
      print(
        status, keys, try titles(of: status.awaited, folder), isEncrypted: settings.isEncrypted, console)
    }
  }

  private static let unreadableKeys = "unreadable"

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

  private static func pending(_ status: DocumentStatus) -> Int {
    status.replica.pendingObjects + status.replica.frozenChanges
  }

  /// The sets applied of each client; a client whose store was restored has several authors.
  private static func applied(_ status: DocumentStatus) -> [(client: String, sets: UInt64)] {
    var sets: [String: UInt64] = [:]
    // Of an author whose sets were all said again by others nothing tells which client it was.
    for applied in status.replica.applied where !applied.client.isEmpty {
      sets[applied.client, default: 0] += applied.sequence
    }
    return sets.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// What people call clients, where that is known.
  private static func names(_ status: DocumentStatus) -> [String: String] {
    var names: [String: String] = [:]
    for applied in status.replica.applied { names[applied.client] = status.names[applied.author] }
    for device in status.devices { if let client = device.client { names[client] = device.name } }
    return names
  }

  private static func lastSync(_ status: DocumentStatus) -> String? {
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

  /// What becomes of a set that another device asks for.
  private static func answer(_ answer: AskingDevice.Answer) -> String {
    switch answer {
    case .sentAgain: "the set was sent again, and is read with the next sync of that device"
    case .sentNext: "the set is here, and the next sync sends it again"
    case .saidAgain:
      "the set is not here any more, but what it said was sent again in other sets, which are read with the next sync of that device"
    case .merged:
      "the set itself is not here any more, but what it said is: if the set stays away, a sync sends that again"
    case .lookedForNext:
      "if it stays away, one of the next syncs looks whether it is here, and sends it"
    case .unknown:
      "this device does not have the set, for its store was restored, or is a copy, of a time before; unless another device has it or a copy of the remote (“ticds-inspect repair --from”), it is lost, and after thirty days nobody waits for it any more"
    }
  }

  /// What a device is called, and its author where others are called so.
  private static func name(of device: DocumentStatus.Device, _ status: DocumentStatus) -> String {
    guard let name = device.name ?? device.client else {
      return "a device whose name one of the next syncs reads (\(device.author))"
    }
    let isShared = status.devices.contains {
      ($0.name ?? $0.client) == name && $0.client != device.client && $0.author != device.author
    }
    return isShared ? "\(name) [\(device.author)]" : name
  }

  /// Whether its client goes on under another author, who is always the greater one. Names prove nothing: two devices may have one.
  private static func isFormer(_ device: DocumentStatus.Device, _ status: DocumentStatus) -> Bool {
    device.client != nil
      && status.devices.contains {
        $0.client == device.client && $0.author > device.author && !$0.isSucceeded && !$0.isRemoved
      }
  }

  private static func line(_ asking: AskingDevice, _ name: String) -> String {
    let since = SyncOutput.time(asking.since)
    guard let sequence = asking.sequence else {
      return "asked:     \(name) lacks a long text and asked for it on \(since); \(answer(asking.answer))"
    }
    let set = "set \(sequence) of this device"
    let now = UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
    // Nothing is to be done about it any more.
    if asking.answer == .unknown, asking.isGivenUp(at: now) {
      return
        "lost:      \(set), which this device does not have since its store was restored, and \(name) has asked for since \(since); nobody waits for it any more"
    }
    return "blocked:   \(name) cannot read \(set) and asked for it on \(since); \(answer(asking.answer))"
  }

  /// A clause by itself.
  private static func sentence(_ clause: String) -> String {
    let text = clause.prefix(1).uppercased() + clause.dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }

  private static func print(
    _ status: DocumentStatus, _ keys: String?, _ titles: NoteTitles, isEncrypted: Bool, _ console: Console
  ) {
    console.print(
      "pending:   \(SyncOutput.count(pending(status), "change")) that the remote does not hold yet")
    if status.replica.sharedIdentifiers > 0 {
      console.print(
        "damaged:   \(status.replica.sharedIdentifiers) objects have the identifier of another; the next sync mends it"
      )
    }
    if status.isDeleted {
      console.print(
        "deleted:   somebody has deleted the document from the remote; these notes are kept in step no more")
    }
    console.print("last sync: \(lastSync(status) ?? "never")")
    if let failure = status.failure {
      let advice = NotebookFailures.advice(failure.code, recovery: failure.recovery) ?? failure.recovery
      console.print(
        PrintableText.line(
          "stopped:   \(failure.message) \(sentence(advice)) That is so since \(SyncOutput.time(failure.since))."
        ))
    }
    for key in status.missingKeys where !isEncrypted {
      console.print(
        "blocked:   other devices created the document with encryption (key \(key.identifier)), and this notebook goes without, so neither "
          + "reads what the other writes; make a new notebook with their password by “notebook init”, and bring these notes there by "
          + "“notebook export” and “notebook import”")
    }
    for key in status.missingKeys where isEncrypted {
      if key.unreadableFile != nil || !key.hasFile {
        console.print(PrintableText.line("blocked:   \(SyncFinding.keyMissing(key))"))
        continue
      }
      console.print(
        key.isReplacement
          ? "blocked:   the keys of the remote were replaced (the new one is \(key.identifier)), and what is written with the new key cannot "
            + "be read here; give the new password by “notebook sync --password-file”"
          : "blocked:   devices with a key of their own (\(key.identifier)) use the remote, and what they write cannot be read here; "
            + "“notebook sync --password-file” with their password, even if it is the same, makes the notes of all everybody's"
      )
    }
    for finding in status.separations {
      // What nobody known has written keeps nothing back.
      let label = if case .unverifiedHeads = finding { "ignored:  " } else { "blocked:  " }
      console.print(PrintableText.line("\(label) \(finding)"))
    }
    if let keys {
      let advice =
        keys == unreadableKeys
        ? "see to it that the key file and its folder belong to you"
        : "“notebook sync --password-file” gets them back with the password"
      console.print("keys:      \(keys); \(advice)")
    }
    let names = names(status)
    for (client, sets) in applied(status) {
      console.print(
        PrintableText.line("applied:   \(SyncOutput.count(sets, "set")) of \(names[client] ?? client)"))
    }
    // A device that goes on under another author is one.
    for device in status.devices where !device.isSucceeded {
      let name =
        device.isThisDevice
        ? "this device"
        : device.isFormerSelf
          ? "this device \(DeviceNaming.formerly)"
          : name(of: device, status)
            + (isFormer(device, status) ? " \(DeviceNaming.formerly)" : "")
      let state =
        device.isRemoved
        ? "was removed"
        : device.isThisDevice && !(status.missingKeys.isEmpty && status.separations.isEmpty)
          ? "has only what it can read" : device.hasSeenEverything ? "has everything" : "lacks changes"
      console.print(PrintableText.line("device:    \(name): \(state)"))
    }
    for blocked in status.blocked {
      console.print(PrintableText.line("blocked:   \(SyncOutput.sentence(blocked))"))
    }
    for set in status.givenUp {
      let name = set.name.map { "“\($0)”" } ?? "the device \(set.author)"
      console.print(
        PrintableText.line(
          set.first == set.sequence
            ? "missing:   set \(set.sequence) of \(name) did not arrive in thirty days, and what it said does not show here. It is still asked for: should a device that has it synchronise, the next sync here reads it."
            : "missing:   sets \(set.first) to \(set.sequence) of \(name) did not arrive in thirty days, and what they said does not show here. They are still asked for: should a device that has them synchronise, the next syncs here read them."
        ))
    }
    for awaited in status.awaited {
      let label = awaited.isGivenUp ? "missing:  " : "blocked:  "
      console.print(PrintableText.line("\(label) \(SyncOutput.sentence(awaited, titles))"))
    }
    for obstruction in status.obstructions {
      console.print(
        PrintableText.line(
          "blocked:   since \(SyncOutput.time(obstruction.since)): \(SyncFinding.obstructed(obstruction.path))"
        ))
    }
    for asking in status.asking {
      let name = asking.name.map { "“\($0)”" } ?? "the device \(asking.author)"
      console.print(PrintableText.line(line(asking, name)))
    }
  }
}
