import ChangeTracking
import Crypto

/// What registration fixed for a store, kept in the store itself: a remote that contradicts it later is not believed.
///
/// What else is remembered of the remote stands in a table, every kind with a bound, so that nobody who can write there makes a
/// list of this device grow.
struct RegistrationPins {
  let replica: Replica

  private enum Name {
    static let document = "document"
    static let encryption = "encryption"
    static let key = "key"
    static let integrityKey = "integrityKey"
    static let foundingRecord = "foundingRecord"
    static let deletion = "deletion"
    static let closerLook = "closerLook"
    static let unverifiedHeads = "unverifiedHeads"
    static let headsOfDeleted = "headsOfDeleted"
    static let lastSync = "lastSync"
    static let failure = "failure"
    static let passingFailures = "passingFailures"
    static let lastUpkeep = "lastUpkeep"
    static let upkeepKey = "upkeepKey"
    static let publishedName = "publishedName"
    static let joining = "joining"
    static let joiningWaits = "joiningWaits"
  }

  private static let sealed = "sealed"
  private static let plain = "none"

  private func text(_ name: String) throws -> String? {
    try replica.remoteState(name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func set(_ name: String, _ text: String?) throws {
    try replica.setRemoteState(name, text.map { Array($0.utf8) })
  }

  /// The document's path; set last, so that it stands for a complete registration.
  var document: String? { get throws { try text(Name.document) } }

  /// Whether the remote is encrypted.
  var isEncrypted: Bool? { get throws { try text(Name.encryption).map { $0 == Self.sealed } } }

  /// The key that this device seals with.
  var key: KeyIdentifier? { get throws { try text(Name.key).flatMap { KeyIdentifier(digits: $0) } } }

  /// The founding that this device is a member of.
  var integrityKey: IntegrityKey? { get throws { try text(Name.integrityKey).flatMap { IntegrityKey($0) } } }

  /// The name of that founding's record, with its bytes, so that it can be put back; none of those if this device has joined by the name alone.
  var namedFounding: (name: FoundingName, bytes: [UInt8])? {
    get throws {
      guard let all = try replica.remoteState(Name.foundingRecord), let end = all.firstIndex(of: 0),
        let name = RemoteName(String(decoding: all[..<end], as: UTF8.self)).flatMap({ FoundingName($0) })
      else { return nil }
      return (name, Array(all[(end + 1)...]))
    }
  }

  /// That the document was deleted, as this device was told; `nil` if it was not.
  var deletion: FoundDeletion? {
    get throws {
      guard let all = try replica.remoteState(Name.deletion), let end = all.firstIndex(of: 0),
        let name = RemoteName(String(decoding: all[..<end], as: UTF8.self)).flatMap({ DeletionName($0) })
      else { return nil }
      return FoundDeletion(name: name, information: try? DeletionInformation(Array(all[(end + 1)...])))
    }
  }

  func setDeletion(_ deletion: FoundDeletion?) throws {
    try replica.setRemoteState(
      Name.deletion,
      deletion.map { Array($0.name.name.description.utf8) + [0] + ($0.information?.bytes ?? []) })
  }

  func registered(
    as document: String, key: KeyIdentifier?, founding record: DocumentFounding.Record,
    united: [IntegrityKey], headless: Set<AuthorID>, joining: JoiningChoice
  ) throws {
    try replica.changeRemoteNotes { notes in
      try set(Name.encryption, key == nil ? Self.plain : Self.sealed)
      try set(Name.key, key?.description)
      try set(Name.integrityKey, record.name.integrityKey.description)
      try replica.setRemoteState(
        Name.foundingRecord, Array(record.name.name.description.utf8) + [0] + record.bytes)
      try replica.setRemoteState(Self.begun, nil)
      try setUnited(united, notes)
      try setHeadless(of: headless, notes)
      try set(Name.joining, joining == .merge ? nil : joining.rawValue)
      try set(Name.document, document)
    }
  }

  /// How the store joined, while it has not been synchronised.
  var joining: JoiningChoice {
    get throws {
      guard try lastSync == nil else { return .merge }
      return try text(Name.joining).flatMap { JoiningChoice(rawValue: $0) } ?? .merge
    }
  }

  /// Notes that the first synchronisation of a store that joins lacks sets; `false` once that was so several times.
  func waitsToJoin() throws -> Bool {
    let waits = (try text(Name.joiningWaits).flatMap { Int($0) } ?? 0) + 1
    try set(Name.joiningWaits, String(waits))
    return waits <= BlockedAuthor.patience
  }

  /// When this device last looked closer, and why.
  var closerLook: CloserLook {
    get throws { try text(Name.closerLook).map { CloserLook(text: $0) } ?? CloserLook() }
  }

  func setCloserLook(_ look: CloserLook) throws {
    guard try look != closerLook else { return }
    try set(Name.closerLook, look.text)
  }

  /// That names lay among the heads in the last synchronisation which were ignored, because nobody has written them who is known here, or
  /// they are of a deleted document.
  var ignoredHeads: [SyncFinding] {
    get throws {
      try [
        ignored(Name.unverifiedHeads).map(SyncFinding.unverifiedHeads),
        ignored(Name.headsOfDeleted).map(SyncFinding.headsOfDeleted),
      ].compactMap { $0 }
    }
  }

  private func ignored(_ name: String) throws -> (count: Int, first: String)? {
    let parts = try text(name)?.split(separator: " ", maxSplits: 1) ?? []
    guard parts.count == 2, let count = Int(parts[0]) else { return nil }
    return (count, String(parts[1]))
  }

  private func setIgnoredHeads(_ findings: [SyncFinding]) throws {
    var texts: [String: String] = [:]
    for finding in findings {
      switch finding {
      case .unverifiedHeads(let count, let first): texts[Name.unverifiedHeads] = "\(count) \(first)"
      case .headsOfDeleted(let count, let first): texts[Name.headsOfDeleted] = "\(count) \(first)"
      default: continue
      }
    }
    for name in [Name.unverifiedHeads, Name.headsOfDeleted] where try text(name) != texts[name] {
      try set(name, texts[name])
    }
  }

  /// When the last synchronisation was completed, in milliseconds since 1970.
  var lastSync: UInt64? { get throws { try text(Name.lastSync).flatMap { UInt64($0) } } }

  /// Why the last synchronisation was not completed.
  var failure: SyncFailure? {
    get throws {
      let lines = try text(Name.failure)?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
      guard lines.count == 4, let since = UInt64(lines[0]) else { return nil }
      return SyncFailure(
        code: SyncError.Code(String(lines[1])), message: String(lines[2]), recovery: String(lines[3]),
        since: since)
    }
  }

  /// Notes why a synchronisation was not completed.
  func setFailure(_ error: SyncError, at time: UInt64) throws {
    let known = try failure
    func line(_ text: String) -> String { String(text.prefix(1_000).map { $0.isNewline ? " " : $0 }) }
    let subject = error.subject.isEmpty ? "" : "\(error.subject): "
    let (message, recovery) = (line(subject + error.message), line(error.recovery))
    if let known, known.code == error.code, known.message == message { return }
    try set(Name.failure, "\(time)\n\(error.code)\n\(message)\n\(recovery)")
  }

  /// Notes that a synchronisation failed with something that passes by itself.
  ///
  /// - Returns: whether that has been so for some synchronisations in a row, so that it may not pass after all: a server whose disk is full
  ///   often says no more than that it has failed.
  func persists() throws -> Bool {
    let failures = (try text(Name.passingFailures).flatMap { Int($0) } ?? 0) + 1
    guard failures < BlockedAuthor.patience else { return true }
    try set(Name.passingFailures, String(failures))
    return false
  }

  /// What the others were told that this device is called; `nil` before registration.
  var publishedName: String? { get throws { try text(Name.publishedName) } }

  func setPublishedName(_ name: String) throws { try set(Name.publishedName, name) }

  /// A day, in milliseconds.
  private static let upkeepPause: UInt64 = 24 * 60 * 60 * 1_000

  private var lastUpkeep: UInt64? { get throws { try text(Name.lastUpkeep).flatMap { UInt64($0) } } }

  /// Whether a day has gone by since this device last looked after what newcomers need, or another key is the newest since it last
  /// synchronised: if the storage has lost the file of that meanwhile, nobody else can read what is about to be sealed with it.
  func isUpkeepDue(at now: UInt64, _ keys: KeyRing?) throws -> Bool {
    guard let last = try lastUpkeep else { return false }
    if try keys?.newest.identifier.description != text(Name.upkeepKey) { return true }
    // A clock that was set back begins a new day.
    return now < last || now - last >= Self.upkeepPause
  }

  /// The first day begins with the first synchronisation that is completed.
  func beginUpkeep(at now: UInt64, _ keys: KeyRing?) throws {
    if try lastUpkeep == nil { try setUpkeep(at: now) }
    let key = keys?.newest.identifier.description
    if try text(Name.upkeepKey) != key { try set(Name.upkeepKey, key) }
  }

  func setUpkeep(at now: UInt64) throws { try set(Name.lastUpkeep, String(now)) }

  /// Notes a completed synchronisation; everything in one transaction.
  func synchronized(
    at time: UInt64, heads: HeadListing, findings: [SyncFinding], asked: [ResendRequest]
  ) throws {
    try replica.changeRemoteNotes { notes in
      try setHeads(heads, notes)
      try setBlocked(findings, heads, at: time, notes)
      try setObstructions(findings, at: time, notes)
      try setIgnoredHeads(findings)
      try setAsked(asked, at: time, notes)
      try set(Name.lastSync, String(time))
      try set(Name.failure, nil)
      try set(Name.passingFailures, nil)
    }
  }
}
