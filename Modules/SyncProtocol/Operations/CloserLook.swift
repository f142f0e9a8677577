import ChangeTracking
import Crypto

/// When a synchronisation asks for more than the listing of heads: if that listing holds names that nobody known here has written, or less
/// than before, or if files are sealed with keys that are not at hand.
///
/// The reason may last for ever, if somebody has put forged names there or an author is gone. So the same reason is looked into with growing
/// pauses: after 1, 2, 4 … and then every 64 synchronisations, every 8 while keys are missing. A value without I/O.
struct CloserLook: Equatable {
  /// Names the reason; empty if there was none.
  private(set) var reason = ""
  /// Synchronisations since this reason came up.
  private(set) var age: UInt64 = 0
  /// Keys that were found to be missing, so that every synchronisation can say so.
  private(set) var missingKeys: [MissingKey] = []
  /// Foundings that are not one with this device's yet, and since when that was seen, in milliseconds since 1970.
  private(set) var unconfirmed: [IntegrityKey: UInt64] = [:]
  /// How many foundings devices take part in, if that is more than can become one; otherwise 0.
  private(set) var foundings = 0
  /// Of how many older generations no key is at hand.
  private(set) var missingGenerations = 0
  /// Keys that sets or long values of others are sealed with, although their heads bear keys that are at hand.
  private(set) var sealingKeys: [KeyIdentifier] = []
  /// Synchronisations since keys are missing, whatever else happens.
  private(set) var syncsWithoutKey: UInt64 = 0

  private static let longestPause: UInt64 = 64
  /// While keys are missing, somebody may give them on another device at any time, of which nothing else tells.
  private static let longestPauseForKeys: UInt64 = 8

  /// Never looked.
  init() {}

  /// Whether to look now. Noted as done.
  ///
  /// - Parameters:
  ///   - listing: what lies among the heads.
  ///   - regressed: the authors of whom it shows less than before.
  ///   - keys: those at hand. With another key the same names may be known.
  ///   - missingGenerations: of how many older generations no key is at hand.
  ///   - overdue: those of the authors that are to be given up if nothing is found this time.
  mutating func isDue(
    _ listing: HeadListing, regressed: [AuthorID], keys: [KeyIdentifier], missingGenerations: Int = 0,
    overdue: [AuthorID] = []
  ) -> Bool {
    // Without encryption whoever can write there can have put the note there that makes names those of a deleted document.
    var names = (listing.unverified + listing.unverifiedOfRemoved + listing.ofDeleted).map(\.description)
    names += regressed.map(\.description)
    if missingGenerations > 0 { names.append("\(missingGenerations)") }
    names += sealingKeys.map(\.description)
    names += overdue.map { "\($0) overdue" }
    guard !names.isEmpty else {
      self = CloserLook()
      return false
    }
    names += keys.map(\.description).sorted()
    let reason = ContentHash(of: Array(names.joined(separator: "\n").utf8)).description
    guard reason == self.reason else {
      (self.reason, age) = (reason, 0)
      return true
    }
    age &+= 1
    let isWaiting =
      !missingKeys.isEmpty || !unconfirmed.isEmpty || missingGenerations > 0 || !sealingKeys.isEmpty
    let longest = isWaiting ? Self.longestPauseForKeys : Self.longestPause
    return age.isMultiple(of: longest) || (age & (age - 1) == 0 && age < longest)
  }

  /// Notes what a look at the foundings has found.
  ///
  /// - Parameters:
  ///   - apart: those that are not one with this device's.
  ///   - count: how many devices take part in, if more than can become one; otherwise 0.
  mutating func note(apart: [IntegrityKey], count: Int, at time: UInt64) {
    unconfirmed = Dictionary(
      apart.prefix(DocumentFounding.limit).map { ($0, unconfirmed[$0] ?? time) },
      uniquingKeysWith: { first, _ in first })
    foundings = count
  }

  /// Notes which keys are missing in this synchronisation, and of how many older generations there is none.
  mutating func note(missingKeys keys: [MissingKey], generations: Int = 0) {
    missingKeys = keys
    missingGenerations = generations
    let isIncomplete = !keys.isEmpty || generations > 0 || foundings > 0
    syncsWithoutKey = isIncomplete ? syncsWithoutKey + 1 : 0
  }

  /// Notes which keys, of those that are not at hand, files are sealed with.
  mutating func note(sealingKeys keys: Set<KeyIdentifier>) {
    sealingKeys = Array(keys.sorted { $0.description < $1.description }.prefix(DocumentFounding.limit))
    // A look that has not begun has no text.
    if !sealingKeys.isEmpty && reason.isEmpty { reason = Self.sealingMark }
  }

  /// What stays so until something comes, and is told at every synchronisation.
  func findings(isEncrypted: Bool) -> [SyncFinding] {
    missingKeys.map { isEncrypted ? .keyMissing($0) : .foundedEncrypted($0.identifier) }
      + separations(isEncrypted: isEncrypted)
  }

  /// The same without the keys of others.
  func separations(isEncrypted: Bool) -> [SyncFinding] {
    var findings: [SyncFinding] = []
    if missingGenerations > 0 { findings.append(.olderKeysMissing(missingGenerations)) }
    if foundings > 0 { findings.append(.tooManyFoundings(foundings)) }
    return findings
      + unconfirmed.keys.sorted().map { .foundingUnconfirmed($0, isEncrypted: isEncrypted) }
  }

  // MARK: As a text

  init(text: String) {
    let parts = text.split(separator: " ")
    guard parts.count >= 2 else { return }
    let numbers = parts[1].split(separator: "/")
    guard let age = numbers.first.flatMap({ UInt64($0) }) else { return }
    (reason, self.age) = (String(parts[0]), age)
    syncsWithoutKey = numbers.dropFirst().first.flatMap { UInt64($0) } ?? 0
    missingKeys = parts.dropFirst(2).compactMap { MissingKey(text: $0) }
    for part in parts.dropFirst(2) {
      let words = part.split(separator: "@")
      guard words.count == 2 else { continue }
      if words[0] == Self.sealingMark, let key = KeyIdentifier(digits: words[1]) { sealingKeys.append(key) }
      guard let number = UInt64(words[1]) else { continue }
      switch words[0] {
      case Self.foundingsMark: foundings = Int(clamping: number)
      case Self.generationsMark: missingGenerations = Int(clamping: number)
      case Self.sealingMark: continue
      default: if let key = IntegrityKey(words[0]) { unconfirmed[key] = number }
      }
    }
  }

  var text: String {
    guard !reason.isEmpty else { return "" }
    var parts = [reason, "\(age)/\(syncsWithoutKey)"] + missingKeys.map(\.text)
    parts += unconfirmed.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value)" }
    parts += sealingKeys.map { "\(Self.sealingMark)@\($0)" }
    if foundings > 0 { parts.append("\(Self.foundingsMark)@\(foundings)") }
    if missingGenerations > 0 { parts.append("\(Self.generationsMark)@\(missingGenerations)") }
    return parts.joined(separator: " ")
  }

  private static let foundingsMark = "foundings"
  private static let generationsMark = "generations"
  private static let sealingMark = "sealing"
}
