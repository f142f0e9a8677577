import Crypto

/// What the owners of devices know of passwords, and what each of them must open in the end.
struct PasswordBook {
  /// Every password that there has been.
  private(set) var all: [String]
  /// Those that nobody has tried to take away: they open the remote for as long as there are no new keys.
  private(set) var lasting: Set<String>
  /// Those that were taken away for certain: they open nothing. That of a founding may be that of another, which was not known then.
  private(set) var removed: Set<String> = []
  /// Which device has added a password, and which has taken it away: for a day it may be the only one that keeps a copy of that.
  private var keepers: [String: Set<String>] = [:]
  /// What each device has taken away itself.
  private var takenAway: [String: Set<String>] = [:]
  /// The keys of which files were written when a password was added.
  private var keys: [String: Set<KeyIdentifier>] = [:]
  /// The passwords that devices began with.
  private let founding: Set<String>
  /// Whether somebody has perhaps put new keys in the place of the old ones, which no earlier password opens, nor one that was added
  /// elsewhere at the same time.
  private(set) var mayHaveNewKeys = false

  init(_ passwords: [String]) {
    founding = Set(passwords)
    all = founding.sorted()
    // Of several, one perhaps never was the remote's: its device has joined with another.
    lasting = all.count == 1 ? Set(all) : []
  }

  /// A password that there has not been.
  var fresh: String { "battery number \(all.count)" }

  mutating func begin(_ change: PasswordChange) {
    if let added = change.added { all.append(added) }
    if let removed = change.removed { lasting.remove(removed) }
    if case .replaceKeys = change { mayHaveNewKeys = true }
  }

  /// - Parameter keys: those of which files were written.
  mutating func complete(_ change: PasswordChange, on device: String, under keys: Set<KeyIdentifier>) {
    for password in [change.added, change.removed].compactMap(\.self) {
      keepers[password, default: []].insert(device)
    }
    if let added = change.added {
      lasting.insert(added)
      self.keys[added] = keys
    }
    if let removed = change.removed { takenAway[device, default: []].insert(removed) }
    if let removed = change.removed, !founding.contains(removed) { self.removed.insert(removed) }
  }

  /// Whether a device has itself taken away every password that there has been, the last of which it should have refused.
  func hasTakenAwayAll(_ device: String) -> Bool { Set(all).isSubset(of: takenAway[device] ?? []) }

  /// Storage has lost keys with their document, in whose place others have founded one with keys of their own: what opened only the former
  /// must not open that.
  mutating func lose(_ lost: Set<KeyIdentifier>) {
    lasting = lasting.filter { password in
      guard let keys = keys[password], !keys.isEmpty else { return true }
      return !keys.isSubset(of: lost)
    }
  }

  /// Leaves out what only devices may know that stay away, of passwords that are to open something or nothing.
  func known(_ passwords: Set<String>, without absent: Set<String>) -> Set<String> {
    passwords.filter { keepers[$0, default: []].isDisjoint(with: absent) }
  }
}
