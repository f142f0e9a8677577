/// The first elements of each kind, and how many more there are of it. Whoever can write to a remote makes a hundred thousand forged names, and
/// what else is to be told must not drown in them.
public struct FirstOfEachKind<Element> {
  /// Those that are shown, in their order.
  public let shown: [Element]
  /// The kinds of which there are more, in the order of their names, with how many.
  public let more: [(kind: String, count: Int)]

  /// - Parameters:
  ///   - elements: all of them.
  ///   - limit: how many of one kind are shown, at most.
  ///   - kind: what kind an element is of.
  public init(_ elements: [Element], limit: Int = 100, by kind: (Element) -> String) {
    var counts: [String: Int] = [:]
    shown = elements.filter { element in
      let kind = kind(element)
      counts[kind, default: 0] += 1
      return counts[kind, default: 0] <= limit
    }
    more = counts.filter { $0.value > limit }.sorted { $0.key < $1.key }.map { ($0.key, $0.value - limit) }
  }
}
