import ChangeTracking

/// An author whose sets this device cannot read on from one of them.
public struct BlockedAuthor: Hashable, Sendable {
  /// The author.
  public var author: AuthorID
  /// What a person calls the author's device, where that is known.
  public var name: String?
  /// The set that cannot be applied.
  public var sequence: UInt64
  /// What is the matter with it, in words.
  public var obstacle: String
  /// When that was first so, in milliseconds since 1970.
  public var since: UInt64
  /// In how many synchronisations it was so, one after the other.
  public var syncs: Int
  /// Whether it is this device under a former author: what that has sent last this device does not have, for its store was restored, or is a
  /// copy, of a time before.
  public var isFormerSelf = false

  /// How many synchronisations it takes until tools call it a failure: the storage may simply be late.
  public static let patience = 3

  /// How long a set is waited for, in milliseconds.
  static let lifetime: UInt64 = 30 * 24 * 60 * 60 * 1_000

  /// Whether the set is not waited for any more.
  ///
  /// - Parameter lifetimes: how often it must have been waited for as long as is usual.
  func isExpired(at now: UInt64, after lifetimes: UInt64 = 1) -> Bool {
    Self.isExpired(since, at: now, after: lifetimes)
  }

  /// Whether what is awaited since a time is not waited for any more.
  static func isExpired(_ since: UInt64, at now: UInt64, after lifetimes: UInt64) -> Bool {
    now > since && now - since > lifetimes * lifetime
  }
}

/// Sets that did not arrive in 30 days and that nobody has sent since. What came after them is merged; the last of them is still asked for.
public struct GivenUpSet: Hashable, Sendable {
  /// The author.
  public var author: AuthorID
  /// What a person calls the author's device, where that is known.
  public var name: String?
  /// The first of the sets.
  public var first: UInt64
  /// The last of them, often the same.
  public var sequence: UInt64
}

/// Another device that lacks what this one wrote, or may have.
public struct AskingDevice: Hashable, Sendable {
  /// Its author.
  public var author: AuthorID
  /// What a person calls it, where that is known.
  public var name: String?
  /// The set of this device that it asks for; `nil` if it asks for a long value, whoever wrote that.
  public var sequence: UInt64?
  /// When this device first heard of it, in milliseconds since 1970.
  public var since: UInt64
  /// What this device can do about it.
  public var answer: Answer

  /// Whether it was asked for so long that whoever asks has given it up, and asks only in case that a device with it comes back.
  public func isGivenUp(at now: UInt64) -> Bool { now > since && now - since > BlockedAuthor.lifetime }

  /// What becomes of what somebody asks for.
  public enum Answer: String, Hashable, Sendable {
    /// It is kept here, and was sent again.
    case sentAgain
    /// It is kept here, and the next synchronisation sends it again.
    case sentNext
    /// It is not kept any more, and what it said was said again in sets of another author.
    case saidAgain
    /// It is not kept any more, but merged here: if it stays away, what it said is said again.
    case merged
    /// This device does not have it: its store was restored, or is a copy, of a time before the set.
    case unknown
    /// It is a long value that was not looked for here: if it stays away, this device looks, and sends it if it has it.
    case lookedForNext
  }
}
