/// Why a model could not be built: every mistake that was found, not only the first.
public struct ModelError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One mistake.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// The entity it is in.
    public let entity: String
    /// The property it is in, if it is about one.
    public let property: String?
    /// What is wrong.
    public let message: String

    package init(entity: String, property: String? = nil, message: String) {
      self.entity = entity
      self.property = property
      self.message = message
    }

    /// One line for a log or a terminal.
    public var description: String { (property.map { "\(entity).\($0)" } ?? entity) + ": " + message }
  }

  /// All mistakes, in the order of the declarations.
  public let problems: [Problem]

  package init(problems: [Problem]) { self.problems = problems }

  /// What a person can do about it.
  public var recovery: String { "Correct the declarations; each line names the entity and the property." }

  /// One line for each mistake.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
