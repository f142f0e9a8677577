/// How parts of a condition are called where something is said about them.
extension QueryCondition.Literal {
  var words: String {
    switch self {
    case .null: "nil"
    case .boolean(let value): "\(value)"
    case .number(let text): text
    case .text(let text): "'\(text)'"
    }
  }
}

extension QueryCondition.Expression {
  var text: String {
    switch self {
    case .literal(let literal): literal.words
    case .path(let names): names.joined(separator: ".")
    case .arithmetic(let operation, let left, let right):
      "\(left.inner) \(operation.rawValue) \(right.inner)"
    case .function(let function, let argument): "\(function.rawValue)(\(argument.text))"
    case .subquery(let names, _): "SUBQUERY(\(names.joined(separator: ".")), …).@count"
    }
  }

  private var inner: String {
    if case .arithmetic = self { "(\(text))" } else { text }
  }
}
