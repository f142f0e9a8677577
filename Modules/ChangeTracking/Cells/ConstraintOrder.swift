/// The order in which the uniqueness constraints of a family are settled, so that one that gives way is never asked in vain.
///
/// What gives way for a constraint is its first attribute. Another constraint that has this attribute further on holds no more once it shows
/// nothing, so it is settled after that. Where constraints depend on each other in a circle (`[a, b]`, `[b, c]`, `[c, a]`), the attribute whose name
/// comes last is settled last, and is what gives way for all constraints that are left: so there is one outcome, on whatever ways objects come to it.
struct ConstraintOrder {
  /// Attributes from those that are settled first.
  private let ranks: [PropertyBit: Int]

  /// - Parameter names: those of the attributes, for the numbers are not the same on all devices.
  init(_ constraints: [[PropertyBit]], by names: [PropertyBit: String]) {
    func precedes(_ one: PropertyBit, _ other: PropertyBit) -> Bool {
      names[one, default: ""].utf8.lexicographicallyPrecedes(names[other, default: ""].utf8)
    }
    var waiting: [PropertyBit: Set<PropertyBit>] = [:]
    for constraint in constraints {
      for bit in constraint { waiting[bit, default: []].formUnion([]) }
      guard let first = constraint.first else { continue }
      waiting[first, default: []].formUnion(constraint.dropFirst())
    }
    var ranks: [PropertyBit: Int] = [:]
    while !waiting.isEmpty {
      let free = waiting.filter { $0.value.isDisjoint(with: waiting.keys) }
      guard let next = (free.isEmpty ? waiting : free).keys.min(by: precedes) else { break }
      ranks[next] = ranks.count
      waiting[next] = nil
    }
    self.ranks = ranks
  }

  /// Constraints in the order in which they are settled, each with the attribute first that gives way.
  func sorted(_ constraints: [[PropertyBit]]) -> [[PropertyBit]] {
    func rank(_ bit: PropertyBit) -> Int { ranks[bit, default: 0] }
    return constraints.map { constraint in
      guard let last = constraint.max(by: { rank($0) < rank($1) }) else { return constraint }
      return [last] + constraint.filter { $0 != last }
    }.enumerated().sorted { one, other in
      let ranks = (rank(one.element[0]), rank(other.element[0]))
      return ranks.0 == ranks.1 ? one.offset < other.offset : ranks.0 < ranks.1
    }.map(\.element)
  }
}
