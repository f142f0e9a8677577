import CommandLineTool

/// Reads a condition in the way of Core Data's predicate format, as far as that can be said on a command line:
/// comparisons of a property (or a path through relationships) with values, joined by AND, OR, NOT and parentheses.
struct QueryParser {
  /// Conditions nest; this bounds the stack.
  static let deepest = 100

  var tokens: ArraySlice<QueryToken>
  var depth = 0
  /// The names that stand for the objects of the subqueries around, the innermost last.
  var variables: [String] = []

  static func parse(_ text: String) throws(ToolFailure) -> QueryCondition {
    var parser = QueryParser(tokens: try QueryToken.tokens(of: text)[...])
    let condition = try parser.disjunction()
    if let surplus = parser.tokens.first { throw .usage("the condition does not end at \(name(surplus))") }
    return condition
  }

  private init(tokens: ArraySlice<QueryToken>) {
    self.tokens = tokens
  }

  mutating func disjunction() throws(ToolFailure) -> QueryCondition {
    var parts = [try conjunction()]
    while take("OR") || take("||") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction() throws(ToolFailure) -> QueryCondition {
    var parts = [try factor()]
    while take("AND") || take("&&") { parts.append(try factor()) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func factor() throws(ToolFailure) -> QueryCondition {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.deepest else { throw .usage("the condition is nested too deeply") }
    if take("NOT") || take("!") { return .not(try factor()) }
    if tokens.first == .symbol("("), !parenthesisIsOperand, take("(") {
      let condition = try disjunction()
      try expect(")")
      return condition
    }
    return try comparison()
  }

  private mutating func comparison() throws(ToolFailure) -> QueryCondition {
    var quantifier: QueryCondition.Quantifier?
    for candidate in [QueryCondition.Quantifier.any, .all, .none] where take(candidate.rawValue) {
      quantifier = candidate
    }
    if take("SOME") { quantifier = .any }
    if tokens.isEmpty {
      throw .usage("the condition lacks the name of a property", advice: "write it as “title == 'Shopping'”")
    }
    let left = try expression()
    let isNegated = take("NOT")
    let comparison = try comparisonOperator()
    let options = try self.options()
    var right: [QueryCondition.Expression]
    switch comparison {
    case .among: right = try list()
    case .between:
      right = try list()
      guard right.count == 2 else { throw .usage("BETWEEN takes two values, as in “{1, 5}”") }
    default: right = [try expression()]
    }
    let condition = try condition(quantifier, left, comparison, right, options)
    return isNegated ? .not(condition) : condition
  }

  private func condition(
    _ quantifier: QueryCondition.Quantifier?, _ left: QueryCondition.Expression,
    _ comparison: QueryCondition.Comparison, _ right: [QueryCondition.Expression],
    _ options: QueryCondition.Options
  ) throws(ToolFailure) -> QueryCondition {
    let literals = right.compactMap { if case .literal(let literal) = $0 { literal } else { nil } }
    if case .path(let path) = left, literals.count == right.count {
      return .comparison(quantifier, path: path, comparison, literals, options)
    }
    guard quantifier == nil else {
      throw .usage("ANY, ALL and NONE need a path and a value after them", advice: "or use SUBQUERY")
    }
    return .computed(left, comparison, right, options)
  }

  private mutating func comparisonOperator() throws(ToolFailure)
    -> QueryCondition.Comparison
  {
    guard let token = tokens.popFirst() else {
      throw .usage("the condition ends where a comparison is missing")
    }
    switch token {
    case .symbol(let symbol):
      if let comparison = Self.symbols[symbol] { return comparison }
    case .word(let word):
      if let comparison = Self.words[word.uppercased()] { return comparison }
    case .name, .number, .text: break
    }
    throw .usage(
      "\(Self.name(token)) is no comparison", advice: "comparisons are ==, !=, <, <=, >, >=, IN and the like")
  }

  /// `[c]`, `[d]` or `[cd]` after an operator on text.
  private mutating func options() throws(ToolFailure) -> QueryCondition.Options {
    guard take("[") else { return [] }
    var options: QueryCondition.Options = []
    guard case .word(let letters)? = tokens.popFirst() else { throw .usage("“[” needs c, d or cd after it") }
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default: throw .usage("“[\(letters)]” is no option", advice: "options are [c], [d] and [cd]")
      }
    }
    try expect("]")
    return options
  }

  private mutating func list() throws(ToolFailure) -> [QueryCondition.Expression] {
    let isBraced = take("{")
    if !isBraced { try expect("(") }
    let end = isBraced ? "}" : ")"
    if take(end) { return [] }
    var values = [try expression()]
    while take(",") { values.append(try expression()) }
    try expect(end)
    return values
  }

  mutating func take(_ word: String) -> Bool {
    switch tokens.first {
    case .symbol(word): break
    case .word(let text) where text.uppercased() == word.uppercased(): break
    default: return false
    }
    tokens.removeFirst()
    return true
  }

  mutating func expect(_ symbol: String) throws(ToolFailure) {
    guard !take(symbol) else { return }
    throw .usage("“\(symbol)” is missing \(tokens.first.map { "before \(Self.name($0))" } ?? "at the end")")
  }

  static func name(_ token: QueryToken) -> String {
    switch token {
    case .word(let text), .name(let text), .number(let text), .symbol(let text): "“\(text)”"
    case .text(let text): "'\(text)'"
    }
  }

  static let symbols: [String: QueryCondition.Comparison] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual,
    ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]
  static let words: [String: QueryCondition.Comparison] = [
    "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "LIKE": .like,
    "MATCHES": .matches,
    "IN": .among, "BETWEEN": .between,
  ]
}
