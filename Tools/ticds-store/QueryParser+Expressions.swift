import CommandLineTool

extension QueryParser {
  /// Sums of products.
  mutating func expression() throws(ToolFailure) -> QueryCondition.Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.deepest else { throw .usage("the condition is nested too deeply") }
    var left = try product()
    while true {
      if take("+") {
        left = .arithmetic(.add, left, try product())
      } else if take("-") {
        left = .arithmetic(.subtract, left, try product())
      } else {
        return left
      }
    }
  }

  /// Whether the parenthesis that comes next holds something to compute with, and not a condition: whether it is followed by
  /// what computes or compares.
  var parenthesisIsOperand: Bool {
    var depth = 0
    for (index, token) in zip(tokens.indices, tokens) {
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      if depth > 0 { continue }
      switch index + 1 < tokens.endIndex ? tokens[index + 1] : nil {
      case .symbol(let symbol): return ["+", "-", "*", "/"].contains(symbol) || Self.symbols[symbol] != nil
      case .word(let word): return Self.words[word.uppercased()] != nil
      case .name, .number, .text, nil: return false
      }
    }
    return false
  }

  private mutating func product() throws(ToolFailure) -> QueryCondition.Expression {
    var left = try operand()
    while true {
      if take("*") {
        left = .arithmetic(.multiply, left, try operand())
      } else if take("/") {
        left = .arithmetic(.divide, left, try operand())
      } else {
        return left
      }
    }
  }

  private mutating func operand() throws(ToolFailure) -> QueryCondition.Expression {
    switch tokens.popFirst() {
    case .number(let text): return .literal(.number(text))
    case .text(let text): return .literal(.text(text))
    case .word(let word): return try operand(word)
    case .name(let name): return .path(try path(name))
    case .symbol("("):
      let inner = try expression()
      try expect(")")
      return inner
    case .symbol(let symbol):
      throw .usage(
        "a value is missing before “\(symbol)”",
        advice: "a property that is called like a key word has a # before its name, as in “#any”")
    case nil: throw .usage("the condition ends where a value is missing")
    }
  }

  private mutating func operand(_ word: String) throws(ToolFailure) -> QueryCondition.Expression {
    switch word.uppercased() {
    case "NIL", "NULL": return .literal(.null)
    case "TRUE", "YES": return .literal(.boolean(true))
    case "FALSE", "NO": return .literal(.boolean(false))
    case "SUBQUERY": return try subquery()
    default: break
    }
    guard take("(") else { return .path(try path(word)) }
    guard let function = QueryCondition.Function(rawValue: word.lowercased()) else {
      let known = QueryCondition.Function.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("“\(word)” is no function", advice: "functions are \(known)")
    }
    let argument = try expression()
    try expect(")")
    return .function(function, argument)
  }

  /// The names of a path. Within a subquery it begins with the name of the object that the subquery is about.
  private func path(_ word: String) throws(ToolFailure) -> [String] {
    let names = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let variable = variables.last else { return names }
    if names == [variable] {
      throw .usage(
        "“\(variable)” is an object",
        advice: "say something of a property of it, as in “\(variable).name == 'a'”")
    }
    if names[0].hasPrefix("$"), names[0] != variable {
      throw .usage("“\(names[0])” is nothing here", advice: "the objects are called “\(variable)”")
    }
    guard names[0] == variable else {
      throw .usage("“\(word)” is not said of \(variable)", advice: "write it as “\(variable).\(word)”")
    }
    return Array(names.dropFirst())
  }

  /// `SUBQUERY(notes, $n, $n.stars > 3).@count`, after its first word.
  private mutating func subquery() throws(ToolFailure) -> QueryCondition.Expression {
    try expect("(")
    let names: [String]
    switch tokens.popFirst() {
    case .word(let name), .name(let name): names = try path(name)
    default: throw .usage("SUBQUERY lacks its relationship")
    }
    try expect(",")
    guard case .word(let variable)? = tokens.popFirst(), variable.hasPrefix("$"), !variable.contains(".")
    else { throw .usage("SUBQUERY lacks the name of its objects, as in “$x”") }
    try expect(",")
    variables.append(variable)
    let condition = try disjunction()
    variables.removeLast()
    try expect(")")
    guard take(".@count") else { throw .usage("SUBQUERY needs “.@count” after it") }
    return .subquery(path: names, condition)
  }
}
