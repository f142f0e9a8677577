import ObjectStore

/// What one merge changed, with what was shown before: enough to take it back by ``Replica/undo(_:)``.
///
/// Holds the values of the objects that changed, so keep it only as long as a person may want to go back.
public struct MergeInverse: Sendable {
  /// What an object showed for one property.
  enum Shown: Hashable, Sendable {
    case value(AttributeValue)
    case target(SyncID?)
    case targets(Set<SyncID>)
  }

  /// What an object showed, by property; nothing if it did not live.
  typealias State = [String: Shown]

  /// One object that the merge changed.
  struct Object: Sendable {
    var entity: String
    var root: String
    var syncID: SyncID
    var before: State?
    var after: State?
  }

  var objects: [Object] = []

  /// Whether the merge changed nothing that shows.
  public var isEmpty: Bool { objects.isEmpty }
  /// How many objects came, went or changed.
  public var objectCount: Int { objects.count }
}

/// What came of taking a merge back.
public struct UndoReport: Hashable, Sendable {
  /// What was left as it is.
  public struct Kept: Hashable, Sendable {
    /// The object's entity.
    public var entity: String
    /// The object.
    public var object: SyncID
    /// The property; `nil` if the whole object stays as it is.
    public var key: String?
  }

  /// Objects that came back, went again, or show a former value.
  public var objects = 0
  /// What was changed again since the merge, or points at something that is gone.
  public var kept: [Kept] = []

  /// Nothing done.
  public init() {}
}

/// Notes what objects show before a merge touches them.
struct MergeJournal {
  /// By the number of the record.
  private(set) var before: [RecordID: MergeInverse.State?] = [:]
  private(set) var order: [RecordID] = []

  func holds(_ object: RecordID) -> Bool { before[object] != nil }

  mutating func note(_ object: RecordID, _ state: MergeInverse.State?) {
    before[object] = .some(state)
    order.append(object)
  }
}
