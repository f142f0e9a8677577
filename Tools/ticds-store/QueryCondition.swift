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
}
