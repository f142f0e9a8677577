import CommandLineTool
import Foundation
import SyncProtocol

/// Where a notebook stands, for a person: a line for each thing, with a label before it.
struct StatusLines {
  private let status: DocumentStatus
  /// Why the keys cannot be used; `nil` if they can.
  private let keys: String?
  private let titles: NoteTitles
  private let isEncrypted: Bool

  init(_ status: DocumentStatus, keys: String?, titles: NoteTitles, isEncrypted: Bool) {
    self.status = status
    self.keys = keys
    self.titles = titles
    self.isEncrypted = isEncrypted
  }

  var all: [String] { store + missingKeys + separations + keyFile + devices + waiting + asking }

  // MARK: The store

  private var store: [String] {
    var lines = [
      "pending:   \(SyncOutput.count(StatusVerb.pending(status), "change")) that the remote does not hold yet"
    ]
    if status.replica.sharedIdentifiers > 0 {
      lines.append(
        "damaged:   \(status.replica.sharedIdentifiers) objects have the identifier of another; the next sync mends it"
      )
    }
    if status.isDeleted {
      lines.append(
        "deleted:   somebody has deleted the document from the remote; these notes are kept in step no more")
    }
    lines.append("last sync: \(StatusVerb.lastSync(status) ?? "never")")
    if let failure = status.failure {
      let advice = NotebookFailures.advice(failure.code, recovery: failure.recovery) ?? failure.recovery
      lines.append(
        "stopped:   \(failure.message) \(Self.sentence(advice)) That is so since \(SyncOutput.time(failure.since))."
      )
    }
    return lines
  }

  /// A clause by itself.
  private static func sentence(_ clause: String) -> String {
    let text = clause.prefix(1).uppercased() + clause.dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }

  // MARK: Keys

  private var missingKeys: [String] {
    status.missingKeys.map { key in
      guard isEncrypted else {
        return
          "blocked:   other devices created the document with encryption (key \(key.identifier)), and this notebook goes without, so neither "
          + "reads what the other writes; make a new notebook with their password by “notebook init”, and bring these notes there by "
          + "“notebook export” and “notebook import”"
      }
      if key.unreadableFile != nil || !key.hasFile { return "blocked:   \(SyncFinding.keyMissing(key))" }
      return key.isReplacement
        ? "blocked:   the keys of the remote were replaced (the new one is \(key.identifier)), and what is written with the new key cannot "
          + "be read here; give the new password by “notebook sync --password-file”"
        : "blocked:   devices with a key of their own (\(key.identifier)) use the remote, and what they write cannot be read here; "
          + "“notebook sync --password-file” with their password, even if it is the same, makes the notes of all everybody's"
    }
  }

  private var separations: [String] {
    status.separations.map { finding in
      "\(finding.isAboutIgnoredHeads ? "ignored:  " : "blocked:  ") \(finding)"
    }
  }

  private var keyFile: [String] {
    guard let keys else { return [] }
    let advice =
      keys == StatusVerb.unreadableKeys
      ? "see to it that the key file and its folder belong to you"
      : "“notebook sync --password-file” gets them back with the password"
    return ["keys:      \(keys); \(advice)"]
  }

  // MARK: Devices

  private var devices: [String] {
    let names = names
    let applied = StatusVerb.applied(status).map { client, sets in
      "applied:   \(SyncOutput.count(sets, "set")) of \(names[client] ?? client)"
    }
    // A device that goes on under another author is one.
    return applied
      + status.devices.filter { !$0.isSucceeded }.map { "device:    \(shown($0)): \(state(of: $0))" }
  }

  /// What people call clients, where that is known.
  private var names: [String: String] {
    var names: [String: String] = [:]
    for applied in status.replica.applied { names[applied.client] = status.names[applied.author] }
    for device in status.devices { if let client = device.client { names[client] = device.name } }
    return names
  }

  private func shown(_ device: DocumentStatus.Device) -> String {
    if device.isThisDevice { return "this device" }
    if device.isFormerSelf { return "this device \(DeviceNaming.formerly)" }
    return name(of: device) + (isFormer(device) ? " \(DeviceNaming.formerly)" : "")
  }

  private func state(of device: DocumentStatus.Device) -> String {
    if device.isRemoved { return "was removed" }
    if device.isThisDevice, !status.missingKeys.isEmpty || !status.separations.allSatisfy(\.isAboutDeleted) {
      return "has only what it can read"
    }
    if device.hasSeenEverything { return "has everything" }
    return device.isFormerSelf || isFormer(device) ? "does not take part any more" : "lacks changes"
  }

  /// What a device is called, and its author where others are called so.
  private func name(of device: DocumentStatus.Device) -> String {
    guard let name = device.name ?? device.client else {
      return "a device whose name one of the next syncs reads (\(device.author))"
    }
    let isShared = status.devices.contains {
      ($0.name ?? $0.client) == name && $0.client != device.client && $0.author != device.author
    }
    return isShared ? "\(name) [\(device.author)]" : name
  }

  /// Whether its client goes on under another author, who is always the greater one. Names prove nothing: two devices may have one.
  private func isFormer(_ device: DocumentStatus.Device) -> Bool {
    device.client != nil
      && status.devices.contains {
        $0.client == device.client && $0.author > device.author && !$0.isSucceeded && !$0.isRemoved
      }
  }

  // MARK: What is waited for

  private var waiting: [String] {
    status.blocked.map { "blocked:   \(SyncOutput.sentence($0))" }
      + status.givenUp.map(Self.line)
      + status.awaited.map { awaited in
        "\(awaited.isGivenUp ? "missing:  " : "blocked:  ") \(SyncOutput.sentence(awaited, titles))"
      }
      + status.obstructions.map {
        "blocked:   since \(SyncOutput.time($0.since)): \(SyncFinding.obstructed($0.path))"
      }
  }

  private static func line(_ set: GivenUpSet) -> String {
    let name = set.name.map { "“\($0)”" } ?? "the device \(set.author)"
    return set.first == set.sequence
      ? "missing:   set \(set.sequence) of \(name) did not arrive in thirty days, and what it said does not show here. It is still asked for: should a device that has it synchronise, the next sync here reads it."
      : "missing:   sets \(set.first) to \(set.sequence) of \(name) did not arrive in thirty days, and what they said does not show here. They are still asked for: should a device that has them synchronise, the next syncs here read them."
  }

  // MARK: What others wait for

  private var asking: [String] {
    status.asking.map { asking in
      Self.line(asking, asking.name.map { "“\($0)”" } ?? "the device \(asking.author)")
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
}
