import ChangeTracking
import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// `devices`, `rename-device` and `remove-device`: who takes part in the notebook.
enum DeviceVerbs {
  static let commands = [devices, rename, remove]

  // MARK: Listing

  private static let devices = RemoteVerbs.command(
    "devices", "Lists the devices that take part in the notebook, what each has and what it holds back."
  ) { document, _, arguments, console in
    let devices = try await document.devices()
    if try arguments[StoreParameters.json] {
      console.print(JSONValue.array(devices.map(json)).text)
      return
    }
    let selves = Dictionary(grouping: devices.compactMap(\.client), by: { $0 }).mapValues(\.count)
    let identifiers = DeviceIdentifiers(devices)
    for device in devices {
      let isOneOfSeveral = device.client.map { selves[$0, default: 1] > 1 } ?? false
      console.print(PrintableText.line(line(device, identifiers.beginning(of: device), isOneOfSeveral)))
    }
  }

  /// - Parameters:
  ///   - identifier: what tells the device from others of its name, where there are any.
  ///   - isOneOfSeveral: whether others in the list bear the client identifier of the device.
  private static func line(_ device: DocumentDevice, _ identifier: String?, _ isOneOfSeveral: Bool) -> String
  {
    var parts = [SyncOutput.count(device.pushed, "set")]
    if let seen = device.lastSeen { parts.append("last seen \(SyncOutput.time(seen))") }
    switch device.presence {
    case .present:
      if let lacks = device.lacks {
        parts.append(lacks == 0 ? "has everything" : "lacks \(SyncOutput.count(lacks, "set"))")
      }
    case .absent:
      parts.append("away for so long that nobody waits for it; takes over a whole store when it is back")
    case .removed(let removal):
      let who = removal.map { $0.remover.isEmpty ? "" : " by “\($0.remover)”" } ?? ""
      let when = removal.map { " on \(SyncOutput.time($0.time))" } ?? ""
      parts.append("removed\(who)\(when)")
    }
    if let holding = device.holding {
      parts.append(
        "holds back the removal of \(SyncOutput.count(UInt64(holding.sets), "set")) (\(holding.bytes) bytes) since \(SyncOutput.time(holding.since))"
      )
    }
    let which =
      device.isThisDevice
      ? " (this device)"
      : device.isFormerSelf
        ? " (this device \(DeviceNaming.formerly))"
        : isOneOfSeveral
          ? " (a device whose store was restored or copied, or that began anew, is listed for each time)" : ""
    let called = name(device) + (identifier.map { " [\($0)]" } ?? "")
    return "\(called): \(parts.joined(separator: ", "))\(which)"
  }

  private static func name(_ device: DocumentDevice) -> String {
    device.name ?? "a device whose head cannot be read (\(device.author))"
  }

  private static func json(_ device: DocumentDevice) -> JSONValue {
    var (state, removal): (String, RemovalInformation?) = ("present", nil)
    switch device.presence {
    case .present: break
    case .absent: state = "absent"
    case .removed(let information): (state, removal) = ("removed", information)
    }
    return [
      "author": .string(device.author.description), "client": device.client.map { .string($0) } ?? .null,
      "name": device.name.map { .string($0) } ?? .null, "pushed": .integer(Int64(clamping: device.pushed)),
      "lastSeen": device.lastSeen.map { .string(SyncOutput.time($0)) } ?? .null,
      "isThisDevice": .boolean(device.isThisDevice),
      "lacks": device.lacks.map { .integer(Int64(clamping: $0)) } ?? .null, "state": .string(state),
      "removedBy": removal.map { .string($0.remover) } ?? .null,
      "removedAt": removal.map { .string(SyncOutput.time($0.time)) } ?? .null,
      "holding": device.holding.map { holding in
        [
          "since": .string(SyncOutput.time(holding.since)), "sets": .integer(Int64(holding.sets)),
          "bytes": .integer(holding.bytes),
        ]
      } ?? .null,
    ]
  }

  // MARK: Renaming

  private static let newName = Parameter.positional("NAME", "What this device is called from now on.")

  private static let rename = Command(
    "rename-device", "Gives this device another name, and tells the other devices.",
    [StoreParameters.store, newName, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let name = try DeviceNaming.checked(try arguments[newName], newName.specification.name)
    try setName(name, folder)
    let report: SyncReport
    do {
      report = try await NotebookSync.withDocument(of: folder) { try await $0.synchronize() }
    } catch let failure as ToolFailure {
      throw ToolFailure(
        failure.status,
        "this device is called “\(name)” from now on, and the others learn it with its next sync; now they could not be told: \(failure.message)",
        advice: failure.advice)
    }
    if try arguments[StoreParameters.json] {
      console.print(JSONValue.object([.init("name", .string(name))]).text)
    } else {
      let others = report.sharedNames.contains(name) ? " Another device is called so, too." : ""
      console.print(PrintableText.line("This device is called “\(name)”.\(others)"))
    }
  }

  private static func setName(_ name: String, _ folder: NotebookFolder) throws {
    let lock = try SyncLock(folder)
    defer { withExtendedLifetime(lock) {} }
    var settings = try NotebookSettings(contentsOf: folder.settings)
    settings.clientDescription = name
    try settings.write(to: folder.settings)
  }

  // MARK: Removing

  private static let device = Parameter.positional(
    "DEVICE",
    "The device's name, or the beginning of its identifier as “devices” shows it; “devices --json” shows all of it."
  )
  private static let everywhere = Parameter.flag(
    "all-documents",
    "Removes it from all documents in which it takes part as this client. A notebook of another document is a device of its own."
  )

  private static let remove = RemoteVerbs.command(
    "remove-device", "Removes a device: nobody waits for it any more, and it keeps what it has.",
    [device, everywhere, StoreParameters.json]
  ) { document, settings, arguments, console in
    let word = try arguments[device]
    let devices = try await document.devices()
    let isJSON = try arguments[StoreParameters.json]
    func tell(_ device: String, _ documents: [String], _ sentence: String) {
      guard isJSON else { return console.print(PrintableText.line(sentence)) }
      console.print(
        JSONValue.object([
          .init("device", .string(device)), .init("documents", .array(documents.map { .string($0) })),
        ]).text)
    }
    // A device whose heads bear a key that is gone with it is told by their names alone.
    if let author = AuthorID(word), !devices.contains(where: { $0.author == author }) {
      try await document.removeDevice(author)
      return tell(
        word, ["\(document.hierarchy.document)"],
        "“\(word)” is removed.\(afterwards(settings, isKnown: false))")
    }
    let chosen = try choose(word, devices)
    let called = "“\(name(chosen))”"
    guard !chosen.isThisDevice else {
      throw ToolFailure.usage(
        "\(called) is this device, and none removes itself",
        advice: "remove it from another device; or remove its folder, and then it from the others")
    }
    if try arguments[everywhere] {
      guard let client = chosen.client else {
        throw ToolFailure(
          .notFound, "of which client \(called) is cannot be read",
          advice: "without --all-documents it is removed from this notebook")
      }
      let removal = try await document.application.removeDevice(client)
      tell(
        name(chosen), removal.documents,
        "\(called) is removed from \(removal.documents.joined(separator: ", ")).\(afterwards(settings)) "
          + "A notebook of another document on the same computer is a device of its own; “remove-device” in a notebook of that document removes it."
      )
      for unread in removal.unread {
        console.complain(
          PrintableText.line("notebook: the document “\(unread)” cannot be looked into with the keys at hand")
        )
      }
    } else if case .removed = chosen.presence {
      tell(name(chosen), [], "\(called) was removed already.")
    } else if let other = otherSelf(of: chosen, namedBy: word, devices) {
      try await document.removeDevice(chosen.author, includingOthersOfClient: false)
      tell(
        name(chosen), ["\(document.hierarchy.document)"],
        "\(called) is removed as \(chosen.author). It is listed as \(other.author), too, which takes part as before; the name of the device removes all."
      )
    } else {
      try await document.removeDevice(chosen.author)
      tell(
        name(chosen), ["\(document.hierarchy.document)"], "\(called) is removed.\(afterwards(settings))")
    }
  }

  /// What a device is listed as besides, if it was named by what tells it from that: what it was before, or a copy of it.
  private static func otherSelf(
    of device: DocumentDevice, namedBy word: String, _ devices: [DocumentDevice]
  ) -> DocumentDevice? {
    guard let client = device.client, word != client, word != device.name else { return nil }
    return devices.first { other in
      guard other.client == client, other.author != device.author else { return false }
      return if case .removed = other.presence { false } else { true }
    }
  }

  /// - Parameter isKnown: whether it reads what this device writes.
  private static func afterwards(_ settings: NotebookSettings, isKnown: Bool = true) -> String {
    let told =
      isKnown
      ? " It is told when it syncs next, keeps its notes, and can come back."
      : " It is told once it can read what the others write, and keeps its notes."
    guard settings.isEncrypted else { return told }
    return told + " If it is in somebody else's hands, “notebook password rotate” keeps what comes from it."
  }

  private static func choose(_ word: String, _ devices: [DocumentDevice]) throws(ToolFailure)
    -> DocumentDevice
  {
    let exact = devices.filter { $0.author.description == word || $0.client == word || $0.name == word }
    let matching = exact.isEmpty ? devices.filter { DeviceIdentifiers.begins($0, with: word) } : exact
    // A device that came back is meant as it is now.
    let present = matching.filter { if case .removed = $0.presence { false } else { true } }
    let candidates = present.isEmpty ? matching : present
    guard let first = candidates.first else {
      throw ToolFailure(
        .notFound, "no device is called “\(word)”", advice: "“notebook devices” lists them")
    }
    let clients = Set(candidates.map { $0.client ?? $0.author.description })
    guard clients.count == 1 else {
      throw ToolFailure.usage(
        "\(clients.count) devices are called “\(word)”",
        advice: "name one of \(clients.sorted().joined(separator: ", "))")
    }
    // What this device was before is named by its author.
    return candidates.first(where: \.isThisDevice) ?? first
  }
}
