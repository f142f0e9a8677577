import ChangeTracking

/// Whether a device uploads a whole store by itself.
///
/// One device is chosen without a lock: each computes its rank from the heads, and the higher the rank, the more sets must have come
/// before it goes ahead. So the first that synchronises often mostly does it alone; if it does not, another one does, and two at once
/// do no harm. A value without I/O.
struct WholeStoreNeed: Equatable {
  var policy: WholeStorePolicy
  /// How many sets this device holds, its own among them.
  var held: UInt64
  /// What this device remembers of its last look.
  var memory: Memory
  /// The place of this device among those that could do it, from 0 on.
  var rank: Int

  /// What a device remembers.
  struct Memory: Hashable {
    /// How many sets the newest whole store contained when this device last looked.
    var newest: UInt64 = 0
    /// How many sets this device held then.
    var looked: UInt64 = 0
    /// How many sets it has transferred since it joined, in both directions, and how many bytes they had.
    var sets: UInt64 = 0
    var bytes: UInt64 = 0

    /// The size of a set, on average.
    var averageSize: Double { sets == 0 ? 0 : Double(bytes) / Double(sets) }
  }

  /// A device whose turn it is later waits for half as many sets again at most.
  private static let lastRank = 4

  /// How many sets must have come after the newest whole store.
  private var threshold: UInt64 {
    let extra = UInt64(clamping: min(max(rank, 0), Self.lastRank))
    return policy.sets.addingReportingOverflow(policy.sets / 8 * extra).partialValue
  }

  /// Whether to look what whole stores there are: a request, so not with each set.
  var isLookDue: Bool {
    guard held >= threshold, held - threshold >= memory.newest else { return false }
    return held < memory.looked || held - memory.looked >= max(policy.sets / 4, 1) || memory.looked == 0
  }

  /// Whether to upload one beside those that lie there.
  ///
  /// - Parameters:
  ///   - contained: how many sets the newest one contains; 0 if there is none.
  ///   - size: its size in bytes.
  func isUploadDue(after contained: UInt64, size: Int64) -> Bool {
    guard held > contained, held - contained >= threshold else { return false }
    let sets = held - contained
    let sizeOfSet = max(memory.averageSize, Double(policy.leastSetSize))
    return contained == 0 || sets >= policy.mostSets
      || Double(sets) * sizeOfSet >= policy.relativeSize * Double(size)
  }

  /// The place of an author among others.
  ///
  /// - Parameters:
  ///   - author: one of the others, or a new one.
  ///   - authors: who has a head.
  ///   - turn: what changes from one whole store to the next, so that not always the same device has to do it.
  static func rank(of author: AuthorID, among authors: [AuthorID], turn: UInt64) -> Int {
    let all = Set(authors + [author]).sorted()
    guard let place = all.firstIndex(of: author) else { return 0 }
    let first = Int(turn % UInt64(all.count))
    return (place - first + all.count) % all.count
  }
}
