import ObjectStore

/// What one merge changed, with what was shown before: enough to take it back by ``Replica/undo(_:keeping:)``.
///
/// Holds the values of the objects that changed, so keep it only as long as a person may want to go back. It can be kept in a file, and
/// is as secret as the store then.
public struct MergeInverse: Sendable, Codable {
  /// What an object showed for one property.
  enum Shown: Equatable, Sendable {
    case value(ExactValue)
    case target(SyncID?)
    case targets(Set<SyncID>)
    /// What the row showed stays until this arrives.
    case awaited(LongValue)
  }

  /// An ordered list of an object, by the canonical end of its relationship.
  struct List: Hashable, Comparable, Sendable, Codable {
    /// The entity that declares the canonical end.
    var entity: String
    var key: String
    /// Whether the object is the target, and its members are the sources.
    var isInverse: Bool

    static func < (left: List, right: List) -> Bool {
      (left.entity, left.key, left.isInverse ? 1 : 0) < (right.entity, right.key, right.isInverse ? 1 : 0)
    }
  }

  /// What an object showed that lived.
  struct State: Equatable, Sendable, Codable {
    var entity: String
    /// By property, of each relationship at its canonical end.
    var properties: [String: Shown] = [:]
    /// The members of its ordered lists that are not empty.
    var orders: [List: [SyncID]] = [:]
  }

  /// One object that the merge changed.
  struct Object: Sendable, Codable {
    var root: String
    var syncID: SyncID
    /// `nil` if it did not live.
    var before: State?
    var after: State?
  }

  var names = Names()
  var objects: [Object] = []

  /// What is not as it was, if nothing of this is taken back.
  var kept: [UndoReport.Kept] {
    objects.flatMap { object -> [UndoReport.Kept] in
      func kept(_ key: String?) -> UndoReport.Kept {
        UndoReport.Kept(
          entity: (object.after ?? object.before)?.entity ?? object.root, object: object.syncID, key: key)
      }
      guard let before = object.before, let after = object.after else { return [kept(nil)] }
      let keys = Set(before.properties.keys).union(after.properties.keys)
      let lists = Set(before.orders.keys).union(after.orders.keys)
      return keys.filter { before.properties[$0] != after.properties[$0] }.sorted().map(kept)
        + lists.filter { before.orders[$0] != after.orders[$0] }.sorted().map { kept($0.key) }
    }
  }

  /// Whether the merge changed nothing that shows.
  public var isEmpty: Bool { objects.isEmpty }
  /// How many objects came, went or show something else.
  public var objectCount: Int { objects.count }

  /// What an object that the merge changed or took away showed for an attribute before; `nil` if it showed nothing.
  package func former(_ key: String, of object: SyncID) -> AttributeValue? {
    let before = objects.lazy.filter { $0.syncID == object }.compactMap(\.before).first
    guard case .value(let value)? = before?.properties[key] else { return nil }
    return value.value
  }

  /// About how many bytes of values it holds.
  package var contentSize: Int {
    objects.reduce(0) { $0 + ($1.before?.contentSize ?? 0) + ($1.after?.contentSize ?? 0) }
  }
}

extension MergeInverse.State {
  fileprivate var contentSize: Int {
    let members = orders.values.reduce(0) { $0 + $1.count }
    return properties.values.reduce(members * Self.identifierSize) { size, shown in
      switch shown {
      case .value(let value): size + SetSize.length(of: value.value)
      case .targets(let targets): size + targets.count * Self.identifierSize
      case .target, .awaited: size + Self.identifierSize
      }
    }
  }

  private static let identifierSize = 32
}

extension MergeInverse.Shown {
  /// Whether this is what was noted after a merge: a long value that was awaited then may have arrived since.
  func remains(_ noted: Self?) -> Bool {
    if case .value(let value) = self, case .awaited(let long)? = noted {
      return LongValue(value.value) == long
    }
    return self == noted
  }

  /// The members that a relationship has to show if what a merge did to it is taken back, each member by itself: those that came since stay,
  /// and those that went since stay away. `nil` if it is no relationship to many.
  ///
  /// - Parameters:
  ///   - noted: what it showed after the merge.
  ///   - former: what it showed before.
  func members(takingBack noted: Self?, to former: Self?) -> Set<SyncID>? {
    guard case .targets(let present) = self, case .targets(let after)? = noted,
      case .targets(let before)? = former
    else { return nil }
    return present.subtracting(after.subtracting(before)).union(before.subtracting(after))
  }
}

extension MergeInverse.State {
  /// Whether nothing is shown but what was noted after a merge, and what was awaited then.
  func remains(_ noted: Self) -> Bool {
    entity == noted.entity && orders == noted.orders && properties.count == noted.properties.count
      && properties.allSatisfy { $0.value.remains(noted.properties[$0.key]) }
  }
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

  /// Objects that came back, went again, or show something former.
  public var objects = 0
  /// What was changed again since the merge, points at something that is gone, or cannot be taken back: a greatest value, for what was
  /// once contributed to it counts for ever; a counter that nobody had counted, which shows zero now; and a long value that had not
  /// arrived, unless its object comes back, which goes on waiting for it.
  public var kept: [Kept] = []
  /// Objects that came with the merge and were to stay. The links that came with them are taken back.
  public var remaining: [Kept] = []
  /// What objects that came back go on waiting for: long values that had not arrived.
  public var awaited: [Kept] = []

  /// Nothing done.
  public init() {}
}
