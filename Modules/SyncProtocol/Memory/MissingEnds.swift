import ChangeTracking

/// Since when it has been known that sets of an author are there which have not come. A device that is heard of again after a month, of whom storage
/// is late with what is new, would otherwise have all of that given up at once.
struct MissingEnds: Equatable {
  /// A set that was named and is missing, with all before it as far as they are.
  struct End: Hashable {
    var set: SetName
    /// When this device first heard of it, in milliseconds since 1970.
    var since: UInt64

    func isExpired(at now: UInt64, after lifetimes: UInt64 = 1) -> Bool {
      BlockedAuthor.isExpired(since, at: now, after: lifetimes)
    }
  }

  /// Ends that are remembered, by their sequences: of more those go whose neighbours tell about the same.
  static let limit = 32

  private(set) var ends: [End] = []

  /// What was heard first that proves that a set is there: itself, or one that comes after it.
  func end(provingThat set: SetName) -> End? {
    ends.first { $0.set == set }
      ?? ends.filter { $0.set.sequence > set.sequence }.min { $0.since < $1.since }
  }

  /// Notes what is named now, and forgets what is awaited no more.
  ///
  /// - Parameters:
  ///   - named: the sets that are named and awaited.
  ///   - passed: up to where everything that is named no more is merged or given up.
  ///   - time: the present.
  mutating func note(_ named: Set<SetName>, passed: UInt64, at time: UInt64) {
    ends.removeAll { $0.set.sequence <= passed && !named.contains($0.set) }
    // A clock that was ahead does not make anybody wait until it is right again.
    for index in ends.indices { ends[index].since = min(ends[index].since, time) }
    let known = Set(ends.map(\.set))
    ends += named.subtracting(known).map { End(set: $0, since: time) }
    ends.sort { ($0.set, $0.since) < ($1.set, $1.since) }
    while ends.count > Self.limit, let index = superfluous { ends.remove(at: index) }
  }

  /// The end in whose place the next one serves best: what only it proves counts as heard of later then, by as little as can be. Neither the
  /// first nor the last, of which others tell nothing.
  private var superfluous: Int? {
    ends.indices.dropFirst().dropLast().min { span(around: $0) < span(around: $1) }
  }

  private func span(around index: Int) -> UInt64 {
    let (before, after) = (ends[index - 1].since, ends[index + 1].since)
    return after > before ? after - before : 0
  }

  // MARK: As a text

  init() {}

  init(_ text: String) {
    for line in text.split(separator: "\n").prefix(Self.limit) {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let set = RemoteName(parts[0]).flatMap({ SetName($0) }),
        let since = UInt64(parts[1])
      else { continue }
      ends.append(End(set: set, since: since))
    }
  }

  var text: String { ends.map { "\($0.set.name) \($0.since)" }.joined(separator: "\n") }
}
