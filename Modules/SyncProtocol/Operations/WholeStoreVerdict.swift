import ChangeTracking

/// Whether a device that lacks sets of others may do better by beginning with a whole store.
///
/// A set that is missing is asked for and mostly comes, so nothing is done at once, and a look costs a request: it is repeated with
/// growing pauses. A value without I/O.
struct WholeStoreVerdict: Equatable {
  /// How many sets this device holds, its own among them.
  var held: UInt64
  /// The authors whose sets cannot be had.
  var blocked: [BlockedAuthor]

  /// In how many synchronisations a set must have been missing, one after the other.
  static let patience = 4
  private static let longestPause = 64

  /// Whether to look what copies there are.
  var isLookDue: Bool {
    blocked.contains { author in
      let syncs = author.syncs
      return syncs >= Self.patience
        && (syncs.isMultiple(of: Self.longestPause) || syncs < Self.longestPause && syncs & (syncs - 1) == 0)
    }
  }

  /// The copy that contains most, if that is more than this device holds.
  func choice(of stores: [WholeStoreName]) -> WholeStoreName? {
    stores.max().flatMap { $0.total > held ? $0 : nil }
  }
}
