/// Finds the word that somebody probably meant.
enum Suggestion {
  /// The candidate with the fewest typing mistakes, if a third of the word or less is mistaken.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let ranked = candidates.map { (candidate: $0, distance: distance(word, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, word.count / 3) ? best.candidate : nil
  }

  /// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
  static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first)
    let b = Array(second)
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforePrevious[j - 1] + 1) }
        row.append(cost)
      }
      beforePrevious = previous
      previous = row
    }
    return previous[b.count]
  }
}
