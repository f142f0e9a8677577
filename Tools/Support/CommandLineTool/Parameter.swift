/// One thing that a command takes from its command line, and the type that it becomes.
///
/// A parameter is declared once as a constant, listed in its ``Command``, and read from the ``Arguments``:
///
/// ```swift
/// let title = Parameter.required("title", placeholder: "T", "The note's title.")
/// let tags = Parameter.repeated("tag", placeholder: "X", "A tag; may be given several times.")
/// Command("add", "Adds a note.", [title, tags]) { arguments, console in
///   console.print(try arguments[title])
/// }
/// ```
public struct Parameter<Value: Sendable>: AnyParameter {
  /// How it is written and described.
  public let specification: ParameterSpecification
  let read: @Sendable ([String]) throws(ToolFailure) -> Value

  init(
    _ specification: ParameterSpecification,
    read: @escaping @Sendable ([String]) throws(ToolFailure) -> Value
  ) {
    self.specification = specification
    self.read = read
  }

  /// Fails if the given texts are not what the parameter takes.
  public func validate(_ texts: [String]) throws(ToolFailure) {
    _ = try read(texts)
  }
}

/// A parameter whose type does not matter: what a ``Command`` lists.
public protocol AnyParameter: Sendable {
  /// How it is written and described.
  var specification: ParameterSpecification { get }
  /// Fails if the given texts, in the order of the command line, are not what the parameter takes.
  func validate(_ texts: [String]) throws(ToolFailure)
}

/// How a parameter is written on the command line, and what the help says of it.
public struct ParameterSpecification: Sendable {
  /// Where a parameter's texts come from.
  public enum Kind: Sendable {
    /// `--name`
    case flag
    /// `--name VALUE` or `--name=VALUE`
    case option
    /// A word by its place.
    case positional
    /// All words that are left.
    case rest
  }

  /// The option's name without dashes, or the positional's name as the help shows it.
  public let name: String
  /// Where the texts come from.
  public let kind: Kind
  /// The value's name in the help.
  public let placeholder: String
  /// What it is for, in one sentence.
  public let help: String
  /// Whether the command cannot do without it.
  public let isRequired: Bool
  /// The environment variable that holds the value where the command line does not.
  public let variable: String?
  /// Whether it may be given several times.
  public let isRepeatable: Bool

  /// How the usage line shows it.
  var usage: String {
    let form =
      switch kind {
      case .flag: "--\(name)"
      case .option: "--\(name) \(placeholder)"
      case .positional, .rest: placeholder
      }
    switch (isRequired && variable == nil, isRepeatable) {
    case (true, false): return form
    case (true, true): return "\(form)..."
    case (false, false): return "[\(form)]"
    case (false, true): return "[\(form)]..."
    }
  }

  /// The name as messages show it.
  var displayName: String {
    switch kind {
    case .flag, .option: "--\(name)"
    case .positional, .rest: name
    }
  }
}
