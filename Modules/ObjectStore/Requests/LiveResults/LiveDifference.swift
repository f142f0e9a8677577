/// What changed between two lists, by indices that count rows of all sections.
struct LiveDifference<Object: ManagedObject> {
  let old: LiveList<Object>
  let new: LiveList<Object>
  /// Of rows that went, ascending.
  var deleted: [Int] = []
  /// Of rows that came, ascending.
  var inserted: [Int] = []
  /// Of rows that are elsewhere.
  var moved: [(from: Int, to: Int)] = []
  /// Of rows with other values that stayed in their order and section.
  var updated: [(from: Int, to: Int)] = []

  init(old: LiveList<Object>, new: LiveList<Object>) {
    self.old = old
    self.new = new
  }

  /// Compares whole lists. Of the rows that stayed, as few as possible are said to have moved.
  init(
    comparing old: LiveList<Object>, with new: LiveList<Object>, isUpdated: (Object) -> Bool
  ) {
    self.init(old: old, new: new)
    var places: [ObjectIdentifier: Int] = [:]
    for (index, entry) in old.entries.enumerated() { places[ObjectIdentifier(entry.object)] = index }
    var stayed: [(from: Int, to: Int)] = []
    for (index, entry) in new.entries.enumerated() {
      if let place = places.removeValue(forKey: ObjectIdentifier(entry.object)) {
        stayed.append((place, index))
      } else {
        inserted.append(index)
      }
    }
    deleted = places.values.sorted()
    settle(stayed, isUpdated: isUpdated)
  }

  /// Returns which rows moved among those that stayed.
  ///
  /// - Parameter stayed: in their new order.
  mutating func settle(_ stayed: [(from: Int, to: Int)], isUpdated: (Object) -> Bool) {
    // A row that is in another section than before has moved whatever its neighbours did.
    let same = stayed.filter(isInSameSection)
    moved += stayed.filter { !isInSameSection($0) }
    let still = Self.longestAscent(same.map(\.from))
    for (position, pair) in same.enumerated() {
      if !still.contains(position) {
        moved.append(pair)
      } else if isUpdated(new.entries[pair.to].object) {
        updated.append(pair)
      }
    }
  }

  private func isInSameSection(_ pair: (from: Int, to: Int)) -> Bool {
    !old.hasSections
      || old.entries[pair.from].values[0].isSameGroup(as: new.entries[pair.to].values[0])
  }

  /// The positions of a longest ascending subsequence (patience sorting).
  private static func longestAscent(_ numbers: [Int]) -> Set<Int> {
    // The position of the least number that ends an ascent of each length, and what came before each position.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: numbers.count)
    for (position, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var ascent: Set<Int> = []
    var position = ends.last ?? -1
    while position >= 0 {
      ascent.insert(position)
      position = previous[position]
    }
    return ascent
  }

  /// The difference by section and row.
  var changes: LiveChanges {
    var changes = LiveChanges()
    if old.hasSections {
      let before = Set(old.starts.indices.map { old.sectionValue($0).grouping })
      let after = Set(new.starts.indices.map { new.sectionValue($0).grouping })
      changes.deletedSections = old.starts.indices.filter { !after.contains(old.sectionValue($0).grouping) }
      changes.insertedSections = new.starts.indices.filter { !before.contains(new.sectionValue($0).grouping) }
    }
    changes.deleted = deleted.map {
      .init(position: old.position(of: $0), objectID: old.entries[$0].object.objectID)
    }
    changes.inserted = inserted.map {
      .init(position: new.position(of: $0), objectID: new.entries[$0].object.objectID)
    }
    changes.moved = moved.sorted { $0.to < $1.to }.map(move)
    changes.updated = updated.sorted { $0.to < $1.to }.map(move)
    return changes
  }

  private func move(_ pair: (from: Int, to: Int)) -> LiveChanges.Move {
    .init(
      from: old.position(of: pair.from), to: new.position(of: pair.to),
      objectID: new.entries[pair.to].object.objectID)
  }
}
