extension Parameter where Value == Bool {
  /// `--name`: on if given.
  public static func flag(_ name: String, _ help: String) -> Parameter {
    Parameter(.init(name, .flag, placeholder: "", help)) { texts throws(ToolFailure) in !texts.isEmpty }
  }
}

extension Parameter where Value == String {
  /// `--name VALUE`, without which the command does not run.
  public static func required(_ name: String, placeholder: String, _ help: String) -> Parameter {
    let specification = ParameterSpecification(
      name, .option, placeholder: placeholder, help, isRequired: true)
    return Parameter(specification) { texts throws(ToolFailure) in
      try specification.single(texts)
    }
  }

  /// As ``required(_:placeholder:_:)``, and an environment variable that is not empty stands for it where it is not given.
  public static func required(_ name: String, placeholder: String, variable: String, _ help: String)
    -> Parameter
  {
    let specification = ParameterSpecification(
      name, .option, placeholder: placeholder, "\(help) Without it: what \(variable) holds.",
      isRequired: true, variable: variable)
    return Parameter(specification) { texts throws(ToolFailure) in
      guard let text = texts.last else {
        throw .usage("--\(name) is missing", advice: "give it, or set \(variable)")
      }
      return text
    }
  }

  /// As ``required(_:placeholder:_:)``, and it says something: an empty text, or one of white space, is refused.
  public static func requiredName(_ name: String, placeholder: String, _ help: String) -> Parameter {
    let specification = ParameterSpecification(
      name, .option, placeholder: placeholder, help, isRequired: true)
    return Parameter(specification) { texts throws(ToolFailure) in
      try specification.nonempty(try specification.single(texts))
    }
  }

  /// A word that must be given in its place.
  public static func positional(_ name: String, _ help: String) -> Parameter {
    let specification = ParameterSpecification(name, .positional, placeholder: name, help, isRequired: true)
    return Parameter(specification) { texts throws(ToolFailure) in
      try specification.single(texts)
    }
  }
}

extension Parameter where Value == String? {
  /// `--name VALUE`, or nothing.
  public static func optional(_ name: String, placeholder: String, _ help: String) -> Parameter {
    Parameter(.init(name, .option, placeholder: placeholder, help)) { texts throws(ToolFailure) in texts.last
    }
  }
}

extension Parameter where Value == String? {
  /// A word in its place, or nothing. It comes after those that must be given.
  public static func optionalPositional(_ name: String, _ help: String) -> Parameter {
    Parameter(.init(name, .positional, placeholder: name, help)) { texts throws(ToolFailure) in texts.last }
  }

  /// `--name VALUE`, or nothing; where it is given it says something.
  public static func optionalName(_ name: String, placeholder: String, _ help: String) -> Parameter {
    let specification = ParameterSpecification(name, .option, placeholder: placeholder, help)
    return Parameter(specification) { texts throws(ToolFailure) in
      guard let text = texts.last else { return nil }
      return try specification.nonempty(text)
    }
  }
}

extension Parameter where Value == [String] {
  /// `--name VALUE`, any number of times.
  public static func repeated(_ name: String, placeholder: String, _ help: String) -> Parameter {
    Parameter(.init(name, .option, placeholder: placeholder, help, isRepeatable: true)) {
      texts throws(ToolFailure) in texts
    }
  }

  /// As ``repeated(_:placeholder:_:)``, and each says something.
  public static func repeatedName(_ name: String, placeholder: String, _ help: String) -> Parameter {
    let specification = ParameterSpecification(
      name, .option, placeholder: placeholder, help, isRepeatable: true)
    return Parameter(specification) { texts throws(ToolFailure) in
      for text in texts { _ = try specification.nonempty(text) }
      return texts
    }
  }

  /// As ``rest(_:_:)``, and each says something.
  public static func restNames(_ name: String, _ help: String) -> Parameter {
    let words = rest(name, help)
    return Parameter(words.specification) { texts throws(ToolFailure) in
      for text in texts { _ = try words.specification.nonempty(text) }
      return try words.read(texts)
    }
  }

  /// All words that are left, of which there must be at least one.
  public static func rest(_ name: String, _ help: String) -> Parameter {
    let specification = ParameterSpecification(
      name, .rest, placeholder: name, help, isRequired: true, isRepeatable: true)
    return Parameter(specification) { texts throws(ToolFailure) in
      guard !texts.isEmpty else { throw specification.missing }
      return texts
    }
  }
}

extension Parameter where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// `--name VALUE`, where the value is one of the cases.
  public static func choice(_ name: String, default standard: Value, _ help: String) -> Parameter {
    let names = Value.allCases.map(\.rawValue)
    let specification = ParameterSpecification(
      name, .option, placeholder: names.joined(separator: "|"), "\(help) Without it: \(standard.rawValue).")
    return Parameter(specification) { texts throws(ToolFailure) in
      guard let text = texts.last else { return standard }
      guard let value = Value(rawValue: text) else {
        throw .usage(
          "--\(name) does not take “\(text)”", advice: "it takes one of \(names.joined(separator: ", "))")
      }
      return value
    }
  }
}

extension Parameter where Value == Int {
  /// `--name NUMBER` within the range.
  public static func number(
    _ name: String, in range: ClosedRange<Int>, default standard: Int, _ help: String
  ) -> Parameter {
    Parameter(.init(name, .option, placeholder: "N", "\(help) Without it: \(standard).")) {
      texts throws(ToolFailure) in
      guard let text = texts.last else { return standard }
      guard let value = Int(text), range.contains(value) else {
        throw .usage(
          "--\(name) does not take “\(text)”",
          advice: "it takes a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
  }
}

extension ParameterSpecification {
  init(
    _ name: String, _ kind: Kind, placeholder: String, _ help: String, isRequired: Bool = false,
    isRepeatable: Bool = false, variable: String? = nil
  ) {
    self.init(
      name: name, kind: kind, placeholder: placeholder, help: help, isRequired: isRequired,
      variable: variable, isRepeatable: isRepeatable)
  }

  /// Fails if a text that names something says nothing.
  func nonempty(_ text: String) throws(ToolFailure) -> String {
    guard text.contains(where: { !$0.isWhitespace }) else { throw .usage("\(displayName) is empty") }
    return text
  }

  var missing: ToolFailure { .usage("\(displayName) is missing") }

  func single(_ texts: [String]) throws(ToolFailure) -> String {
    guard let text = texts.last else { throw missing }
    return text
  }
}
