import ChangeTracking

extension SyncPlan {
  /// A set beside the chain of its author: two copies of a store went on under one author.
  struct ForkedSet: Hashable, Comparable {
    var author: AuthorID
    var set: SetName

    static func < (left: ForkedSet, right: ForkedSet) -> Bool {
      (left.author, left.set) < (right.author, right.set)
    }

    init(author: AuthorID, set: SetName) {
      self.author = author
      self.set = set
    }

    // MARK: As a text

    init?(_ text: some StringProtocol) {
      let parts = text.split(separator: "/")
      guard parts.count == 2, let author = AuthorID(parts[0]),
        let set = RemoteName(parts[1]).flatMap({ SetName($0) })
      else { return nil }
      self.init(author: author, set: set)
    }

    var text: String { "\(author)/\(set.name)" }
  }

  /// A set beside a chain that is known to exist and has not arrived.
  ///
  /// It may never arrive, if its author's other copy was lost before its storage had delivered it. So it is looked for with growing pauses,
  /// and after 30 days nobody waits for it any more. When somebody takes away the request for it, because he has sent it again, it is looked
  /// for at once, and the pauses begin anew.
  struct PendingFork: Hashable {
    var fork: ForkedSet
    /// When it was first missed: milliseconds since 1970. Nothing if it is not waited for any more.
    var since: UInt64
    /// Synchronisations since, or since the last answer.
    var age: UInt64 = 0
    /// How often somebody has taken away the request for it.
    var answers: UInt64 = 0

    private static let longestPause: UInt64 = 64

    init(_ fork: ForkedSet, since: UInt64) {
      self.fork = fork
      self.since = since
    }

    /// Whether to ask for it in the next synchronisation.
    var isDue: Bool {
      age.isMultiple(of: Self.longestPause) || (age & (age - 1) == 0 && age < Self.longestPause)
    }

    /// Whether to ask for it. What was sent again is looked for some times first, ever more often, for storage may be slow to deliver it.
    var isToBeAskedFor: Bool { answers == 0 || age >= 1 << min(answers + 1, 6) }

    /// The same set after somebody has taken away the request for it.
    func answered() -> PendingFork {
      var answered = self
      answered.age = 0
      answered.answers = min(answers + 1, UInt64(ResendRequest.countLimit))
      return answered
    }

    /// Whether it is not waited for any more. It is still looked for, and asked for: a device that has merged it may come back.
    var isGivenUp: Bool { since == 0 }

    /// Whether it was waited for long enough.
    func isExpired(at now: UInt64) -> Bool {
      !isGivenUp && now > since && now - since > BlockedAuthor.lifetime
    }

    // MARK: As a text

    init?(_ text: some StringProtocol) {
      let parts = text.split(separator: " ")
      guard parts.count == 3 || parts.count == 4, let fork = ForkedSet(parts[0]),
        let since = UInt64(parts[1]),
        let age = UInt64(parts[2])
      else { return nil }
      self.init(fork, since: since)
      self.age = age
      answers = parts.count == 4 ? UInt64(parts[3]) ?? 0 : 0
    }

    var text: String { "\(fork.text) \(since) \(age) \(answers)" }
  }
}
