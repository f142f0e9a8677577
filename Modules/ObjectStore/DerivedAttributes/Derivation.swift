/// What a derived attribute is computed from, as Core Data's model editor writes it.
///
/// Understood are a path (`folder.name`), `canonical:(path)`, `lowercase:(path)` and `uppercase:(path)`, `now:()`, and over a
/// to-many relationship `notes.@count`, `notes.@sum.price`, `@avg`, `@min`, `@max`.
struct Derivation: Sendable {
  enum Value: Sendable {
    /// The time of the save.
    case now
    /// Computed from the object and those it leads to.
    case operand(Operand)
  }

  let value: Value
  /// The names that the expression leads through; the first is a property of the object.
  let names: [String]

  /// Reads an expression; `nil` if it is none that is understood.
  init?(_ expression: String) {
    let text = expression.filter { !$0.isWhitespace }
    if text == "now:()" || text == "now()" {
      value = .now
      names = []
      return
    }
    var path = text[...]
    var function: TextFunction?
    for (name, candidate) in Self.functions where text.hasPrefix(name + ":(") && text.hasSuffix(")") {
      function = candidate
      path = text.dropFirst(name.count + 2).dropLast()
    }
    var names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }), let first = names.first, !first.hasPrefix("@") else {
      return nil
    }
    self.names = names.filter { !$0.hasPrefix("@") }
    guard let place = names.firstIndex(where: { $0.hasPrefix("@") }) else {
      guard names.allSatisfy({ name in name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } }) else {
        return nil
      }
      let operand = Operand.path(.names(names))
      value = .operand(function.map { .text($0, operand) } ?? operand)
      return
    }
    guard function == nil, let aggregate = Self.aggregates[names.remove(at: place)] else { return nil }
    let (members, rest) = (Array(names[..<place]), Array(names[place...]))
    guard rest.count == (aggregate == .count ? 0 : 1) else { return nil }
    value = .operand(
      .members(
        aggregate, .init(path: .names(members), condition: nil),
        rest.isEmpty ? nil : .path(.names(rest))))
  }

  private static let functions: [String: TextFunction] = [
    "canonical": .canonical, "lowercase": .lowercased, "uppercase": .uppercased,
  ]
  private static let aggregates: [String: AggregateFunction] = [
    "@count": .count, "@sum": .sum, "@avg": .average, "@min": .minimum, "@max": .maximum,
  ]
}
