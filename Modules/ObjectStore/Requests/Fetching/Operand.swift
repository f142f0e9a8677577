/// What stands on one side of a comparison, without its Swift type: something that has one value for each object.
indirect enum Operand: Sendable {
  /// A property.
  case path(PropertyPath)
  /// The same for every object.
  case constant(AttributeValue)
  /// Computed from two numbers.
  case arithmetic(Arithmetic, Operand, Operand)
  /// The first, or the second where the first is missing.
  case otherwise(Operand, Operand)
  /// A number as one of 64 bits with a fraction.
  case real(Operand)
  /// Computed from text.
  case text(TextFunction, Operand)
  /// Computed from the objects of a to-many relationship.
  case members(AggregateFunction, Members, Operand?)
  /// Computed from all objects of a group; only in summaries.
  case group(AggregateFunction, Operand?, isDistinct: Bool)

  /// The objects of a to-many relationship for which a condition holds.
  struct Members: Sendable {
    var path: PropertyPath
    var condition: Condition?
  }
}

/// The four species. Whole numbers give whole numbers; a division by nothing gives nothing, as in SQL.
enum Arithmetic: String, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
}

/// The values of a property of the objects that another request would fetch.
struct Subfetch: Sendable {
  /// Distinguishes it from others of the same condition.
  final class Identity: Sendable {}

  /// The name of the entity.
  let entity: String
  let condition: Condition?
  let value: Operand
  let identity = Identity()
}
