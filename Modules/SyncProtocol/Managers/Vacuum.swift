import ChangeTracking

/// What is removed from a remote because nobody needs it any more.
public struct VacuumPolicy: Hashable, Sendable {
  /// How long it must have been announced that sets are to be removed, in milliseconds: whoever is joining with an older whole store
  /// gets them meanwhile.
  public var grace: UInt64
  /// How long a device that stays away holds back what it has not merged, in milliseconds.
  public var absence: UInt64

  /// How many whole stores remain, the newest ones that open: should one be lost, there is another.
  package static let keptStores = 2
  /// Whole stores that are opened in search of the newest that open, and those that are compared with them: each may be large.
  package static let (storeTries, comparisons) = (6, 16)

  private static let day: UInt64 = 24 * 60 * 60 * 1_000

  /// - Parameters:
  ///   - grace: a day unless said otherwise.
  ///   - absence: 90 days unless said otherwise.
  public init(grace: UInt64? = nil, absence: UInt64? = nil) {
    self.grace = grace ?? Self.day
    self.absence = absence ?? 90 * Self.day
  }
}

/// What a vacuum removes, and what holds back the rest.
public struct VacuumPlan: Hashable, Sendable {
  /// Sets that all have and that whole stores contain, in order.
  public var sets: [RemoteDocument.SetReference] = []
  /// Whole stores that newer ones have taken the place of.
  public var wholeStores: [WholeStoreName] = []
  /// Heads that a newer one of the same author has taken the place of.
  public var heads: [HeadName] = []
  /// Long values that no set has mentioned for as long as sets are announced.
  public var longValues: [LongValueName] = []
  /// Long values that no set mentions, and that can go later.
  public var unusedLongValues = 0
  /// Sets that are announced to be removed later.
  public var announced: UInt64 = 0
  /// Devices that have not merged all that whole stores contain: their sets are kept for them.
  public var holding: [AuthorID] = []
  /// Devices that have been away for longer than agreed, and that hold back nothing any more.
  public var absent: [AuthorID] = []
  /// Why no set is removed; `nil` if nothing stands in the way.
  public var obstacle: VacuumObstacle?

  /// Of each author, the last set below the floor that was in force before.
  package internal(set) var passed = VersionVector()
  /// Of each author, the last set below the floor that is in force when all is done.
  var floor = VersionVector()
  /// What is announced.
  var announcement: VersionVector?
  /// Long values that no set mentions; `nil` if that was not looked into, or cannot be told.
  var unused: Set<LongValueName>?

  /// Whether there is nothing to be removed.
  public var isEmpty: Bool {
    sets.isEmpty && wholeStores.isEmpty && heads.isEmpty && longValues.isEmpty
  }
}

/// Why a vacuum removes no sets.
public enum VacuumObstacle: Hashable, Sendable, CustomStringConvertible {
  /// No whole store lies there that opens.
  case noWholeStore
  /// This device lacks sets itself.
  case incomplete
  /// A head cannot be read, so nobody knows what its device has.
  case unreadableHead(AuthorID)
  /// There are names among the heads that nobody known here has written.
  case unknownHeads

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .noWholeStore: "No whole store lies there that opens; upload one first."
    case .incomplete: "This device lacks sets itself; synchronise, and do what that says."
    case .unreadableHead(let author):
      "What the device \(author) has is not known, for its head cannot be read; synchronise that device, which puts it back once a day."
    case .unknownHeads:
      "Names among the heads were written by nobody who is known here; if they belong to devices with another password, give that."
    }
  }
}

/// What a vacuum did.
public struct VacuumReport: Sendable {
  /// What was planned.
  public var plan = VacuumPlan()
  /// Whether anything was removed: not if only the plan was asked for.
  public var isCarriedOut = false
  /// Files that could not be removed; the next vacuum tries again.
  public var left = 0
  /// The synchronisation before, if there was one.
  public var sync: SyncReport?
}
