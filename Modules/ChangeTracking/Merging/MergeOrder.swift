/// The order in which the changes of several sets are merged: by what happened, then by object, then by time.
///
/// Rows and records of objects lie in the file nearly in the order of their identifiers, so each page is read and written
/// once for all sets instead of once for each.
///
/// Places come first. Whoever saves a list between two slices says places of members that have none, which are later than those that would
/// come for them.
enum MergeOrder {
  /// Where a change stands.
  struct Place {
    var set: Int
    var change: Int
    /// What happened, and the number of the entity it happened to.
    fileprivate var group: Int
    fileprivate var object: SyncID
    fileprivate var time: LogicalTime
  }

  /// The changes of some sets in order.
  ///
  /// - Parameter names: of each set, its names.
  /// - Throws: ``ReplicaError`` with `invalidSet` if a change names an entity that its set does not declare.
  static func places(in sets: [ChangeSet], names: [SetNames]) throws -> [Place] {
    var places: [Place] = []
    places.reserveCapacity(sets.reduce(0) { $0 + $1.changes.count })
    for (index, set) in sets.enumerated() {
      for (position, change) in set.changes.enumerated() {
        guard LogicalTime.valid.contains(change.time) else { continue }
        guard let entity = try names[index][change.entity]?.known.number else { continue }
        places.append(
          Place(
            set: index, change: position, group: rank(of: change.action) << 32 | entity.rawValue,
            object: change.object, time: change.time))
      }
    }
    places.sort(by: precedes)
    return places
  }

  private static func precedes(_ left: Place, _ right: Place) -> Bool {
    if left.group != right.group { return left.group < right.group }
    if left.object != right.object { return left.object < right.object }
    return left.time < right.time
  }

  private static func rank(of action: Change.Action) -> Int {
    switch action {
    case .place: 0
    case .insert: 1
    case .update, .clear: 2
    case .delete: 3
    case .link: 4
    case .unlink: 5
    case .contribute: 6
    }
  }
}
