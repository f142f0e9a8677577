/// Where the new objects of each root are in a context's list of new objects, so that a fetch looks at no others.
///
/// Brought up to date where it is asked. Whoever takes objects off the list begins it anew.
struct InsertedIndex {
  // By index of the entity at the top.
  private var positions: [Int: [Int]] = [:]
  private var count = 0

  /// The positions of the objects below a root, ascending.
  mutating func positions(below root: Int, in inserted: [ManagedObject]) -> [Int] {
    while count < inserted.count {
      positions[inserted[count].entity.rootIndex, default: []].append(count)
      count += 1
    }
    return positions[root] ?? []
  }
}
