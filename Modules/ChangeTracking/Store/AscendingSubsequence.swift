/// The longest strictly ascending subsequence: what may stay where it is when a list has a new order.
enum AscendingSubsequence {
  /// Which elements belong to it; those without a key do not.
  ///
  /// By patience sorting (Fredman, "On computing the length of longest increasing subsequences", 1975), in O(n log n).
  static func members<Key: Comparable>(of keys: [Key?]) -> [Bool] {
    /// Of each length, the index of the least key that ends a subsequence of that length.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: keys.count)
    for (index, key) in keys.enumerated() {
      guard let key else { continue }
      var low = 0
      var high = ends.count
      // Lists mostly are in order already.
      if let last = ends.last, let end = keys[last], end < key { low = high }
      while low < high {
        let middle = (low + high) / 2
        if let end = keys[ends[middle]], end < key { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? ends[low - 1] : -1
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var isMember = [Bool](repeating: false, count: keys.count)
    var index = ends.last ?? -1
    while index >= 0 {
      isMember[index] = true
      index = previous[index]
    }
    return isMember
  }
}
