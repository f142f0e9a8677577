/// The names that the columns of one table may not have any more. Equal names get a number, from 1 in the order in which they are
/// taken.
struct NamePool {
  private var counters: [String: Int] = [:]

  /// Takes a name, or the first one with a number that is no other column's plain name.
  mutating func take(_ base: String) -> String {
    guard var counter = counters[base] else {
      counters[base] = 0
      return base
    }
    repeat { counter += 1 } while counters[base + String(counter)] != nil
    counters[base] = counter
    return base + String(counter)
  }
}
