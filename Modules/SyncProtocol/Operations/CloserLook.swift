import ChangeTracking
import Crypto

/// When a synchronisation asks for more than the listing of heads: if that listing holds names that nobody known here has written, or less
/// than before.
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
  mutating func isDue(_ listing: HeadListing, regressed: [AuthorID], keys: [KeyIdentifier]) -> Bool {
    var names = listing.unverified.map(\.description) + regressed.map(\.description)
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
    let longest = missingKeys.isEmpty ? Self.longestPause : Self.longestPauseForKeys
    return age.isMultiple(of: longest) || (age & (age - 1) == 0 && age < longest)
  }

  /// Notes which keys are missing in this synchronisation.
  mutating func note(missingKeys keys: [MissingKey]) {
    missingKeys = keys
    syncsWithoutKey = keys.isEmpty ? 0 : syncsWithoutKey + 1
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
  }

  var text: String {
    reason.isEmpty
      ? "" : ([reason, "\(age)/\(syncsWithoutKey)"] + missingKeys.map(\.text)).joined(separator: " ")
  }
}
