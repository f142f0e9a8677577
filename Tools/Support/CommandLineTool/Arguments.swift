/// What a command line gave for each of a command's parameters.
public struct Arguments: Sendable {
  private var texts: [String: [String]] = [:]

  /// The parameter's value.
  ///
  /// - Throws: ``ToolFailure`` only for a parameter that the command does not list, because the parser has
  ///   validated the others.
  public subscript<Value>(parameter: Parameter<Value>) -> Value {
    get throws(ToolFailure) { try parameter.read(texts[parameter.specification.displayName] ?? []) }
  }

  /// Whether the command line has the parameter.
  public func contains(_ parameter: any AnyParameter) -> Bool {
    texts[parameter.specification.displayName] != nil
  }

  func texts(of specification: ParameterSpecification) -> [String] {
    texts[specification.displayName] ?? []
  }

  mutating func append(_ text: String, to specification: ParameterSpecification) {
    texts[specification.displayName, default: []].append(text)
  }
}
