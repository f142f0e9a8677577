/// What a derived attribute is computed from, as Core Data's model editor writes it or as its archives do.
///
/// Understood are a path (`folder.name`), `canonical:(path)`, `lowercase:(path)` and `uppercase:(path)`, `now:()`, and over a
/// to-many relationship `notes.@count`, `notes.@sum.price`, `@avg`, `@min`, `@max`, which archives write as `count:(notes)`,
/// `sum:(notes.price)`.
package struct Derivation: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// The time of the save.
    case now
    /// What a path leads to, perhaps in another form.
    case path([String], TextFunction?)
    /// Something about all that a relationship leads to.
    case aggregate(AggregateFunction, members: [String], attribute: String?)
  }

  package let kind: Kind

  /// Reads an expression; `nil` if it is none that is understood.
  package init?(_ expression: String) {
    let text = expression.filter { !$0.isWhitespace }
    if text == "now:()" || text == "now()" {
      kind = .now
      return
    }
    guard let call = text.firstIndex(of: "("), text.hasSuffix(")") else {
      guard let kind = Self.keyPath(text[...]) else { return nil }
      self.kind = kind
      return
    }
    let name = text[..<call].trimmingColon
    guard let names = Self.names(text[text.index(after: call)...].dropLast()) else { return nil }
    if let function = Self.functions[String(name)] {
      kind = .path(names, function)
    } else if name == "count" {
      kind = .aggregate(.count, members: names, attribute: nil)
    } else if let aggregate = Self.aggregates["@\(name)"], let attribute = names.last, names.count > 1 {
      kind = .aggregate(aggregate, members: Array(names.dropLast()), attribute: attribute)
    } else {
      return nil
    }
  }

  /// A path, in which a collection operator may stand before its attribute or, as in newer editors, behind it.
  private static func keyPath(_ text: Substring) -> Kind? {
    var names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let place = names.firstIndex(where: { $0.hasPrefix("@") }) else {
      return Self.names(text).map { .path($0, nil) }
    }
    guard let aggregate = aggregates[names.remove(at: place)], place > 0, let names = self.names(names) else {
      return nil
    }
    if aggregate == .count {
      return names.count == place ? .aggregate(.count, members: names, attribute: nil) : nil
    }
    guard names.count == place + 1 || names.count == place && place > 1 else { return nil }
    return .aggregate(aggregate, members: Array(names.dropLast()), attribute: names.last)
  }

  private static func names(_ path: Substring) -> [String]? {
    names(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  private static func names(_ names: [String]) -> [String]? {
    // The archive's way of writing a name that is a word of predicates.
    let names = names.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
    return names.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } }
      ? names : nil
  }

  private static let functions: [String: TextFunction] = [
    "canonical": .canonical, "lowercase": .lowercased, "uppercase": .uppercased,
  ]
  private static let aggregates: [String: AggregateFunction] = [
    "@count": .count, "@sum": .sum, "@total": .sum, "@avg": .average, "@average": .average, "@min": .minimum,
    "@max": .maximum,
  ]
}

extension Substring {
  fileprivate var trimmingColon: Substring { hasSuffix(":") ? dropLast() : self }
}

extension Derivation {
  /// Whether it tells something about all that a relationship leads to.
  package var isAggregate: Bool {
    if case .aggregate = kind { true } else { false }
  }

  /// The names that the expression leads through; the first is a property of the object.
  package var names: [String] {
    switch kind {
    case .now: []
    case .path(let names, _): names
    case .aggregate(_, let members, let attribute): members + (attribute.map { [$0] } ?? [])
    }
  }

  /// The function that the expression applies, as predicates and archives call it; `nil` if it is a path alone.
  package var functionName: String? {
    switch kind {
    case .now: "now"
    case .path(_, .canonical?): "canonical:"
    case .path(_, .lowercased?): "lowercase:"
    case .path(_, .uppercased?): "uppercase:"
    case .path: nil
    case .aggregate(.count, _, _): "count:"
    case .aggregate(.sum, _, _): "sum:"
    case .aggregate(.average, _, _): "average:"
    case .aggregate(.minimum, _, _): "min:"
    case .aggregate(.maximum, _, _): "max:"
    }
  }

  /// The expression as predicates write it, which is what enters version hashes.
  package var predicateFormat: String {
    let path = Self.format(names)
    return functionName.map { "\($0)(\(path))" } ?? path
  }

  private static func format(_ names: [String]) -> String {
    names.map { reservedWords.contains($0.lowercased()) ? "#\($0)" : $0 }.joined(separator: ".")
  }

  /// As Apple lists them for predicates; no published hash shows one.
  private static let reservedWords: Set<String> = [
    "and", "or", "in", "not", "all", "any", "some", "none", "like", "caseinsensitive", "ci", "matches",
    "contains",
    "beginswith", "endswith", "between", "null", "nil", "self", "true", "yes", "false", "no", "first", "last",
    "size", "anykey", "subquery", "fetch", "cast", "truepredicate", "falsepredicate",
  ]
}
