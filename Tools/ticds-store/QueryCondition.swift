/// A condition on objects, as it was written.
indirect enum QueryCondition: Equatable {
  /// Whether a path with to-many relationships holds for one, all or none of its values.
  enum Quantifier: String { case any, all, none }

  enum Comparison: String {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case contains, beginsWith, endsWith, like, matches
    case among, between
  }

  /// A value on the right of a comparison.
  enum Literal: Equatable {
    case null
    case boolean(Bool)
    case number(String)
    case text(String)
  }

  struct Options: OptionSet {
    let rawValue: Int
    static let caseInsensitive = Options(rawValue: 1)
    static let diacriticInsensitive = Options(rawValue: 2)
  }

  case all([QueryCondition])
  case any([QueryCondition])
  case not(QueryCondition)
  case comparison(Quantifier?, path: [String], Comparison, [Literal], Options)
  /// Something computed, or two things that are not known before.
  case computed(Expression, Comparison, [Expression], Options)

  /// What stands on one side of a comparison.
  indirect enum Expression: Equatable {
    case literal(Literal)
    case path([String])
    case arithmetic(Arithmetic, Expression, Expression)
    case function(Function, Expression)
    /// The number of those objects of a to-many relationship for which a condition holds.
    case subquery(path: [String], QueryCondition)
  }

  enum Arithmetic: String { case add = "+", subtract = "-", multiply = "*", divide = "/" }

  enum Function: String, CaseIterable { case length, lowercase, uppercase }
}
