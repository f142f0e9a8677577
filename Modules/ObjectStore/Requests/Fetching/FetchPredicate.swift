/// A condition on objects of a class, checked by the compiler and translated to SQL with bound values.
///
/// ```swift
/// \.title == "Shopping" && \.folder?.name != nil
/// .contains(\.title, "milk", .caseInsensitive)
/// .any(\.$tags, where: \.name == "urgent") && .count(\.$tags) < 5
/// ```
/// A comparison with a missing value is false, except with `== nil` and `!= nil`; `!=` to a value is true for a missing one,
/// as in Core Data.
public struct FetchPredicate<Object>: Sendable {
  let condition: Condition

  init(_ condition: Condition) {
    self.condition = condition
  }

  /// Every object.
  public static var all: FetchPredicate { FetchPredicate(.constant(true)) }
  /// No object.
  public static var none: FetchPredicate { FetchPredicate(.constant(false)) }

  /// Both conditions.
  public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    FetchPredicate(.all(left.condition.parts(ofAll: true) + right.condition.parts(ofAll: true)))
  }

  /// At least one of the conditions.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    FetchPredicate(.any(left.condition.parts(ofAll: false) + right.condition.parts(ofAll: false)))
  }

  /// Not the condition.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
    FetchPredicate(.not(predicate.condition))
  }
}

/// How text is compared.
public struct ComparisonOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: UInt8

  /// Takes options as bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Capital and small letters are the same.
  public static let caseInsensitive = ComparisonOptions(rawValue: 1)
  /// Letters with and without accents are the same.
  public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
}

/// A condition without the class of its objects.
indirect enum Condition: Sendable {
  case constant(Bool)
  case all([Condition])
  case any([Condition])
  case not(Condition)
  case comparison(Operand, Comparison, Operand)
  case among(Operand, [AttributeValue])
  case amongFetched(Operand, Subfetch)
  case text(Operand, TextMatch, String, ComparisonOptions)
  case related(PropertyPath, ObjectID?)
  /// The object itself, or the one that a path leads to, is one of these.
  case identified(PropertyPath?, [ObjectID])
  /// There is an object in a to-many relationship for which the condition of the members holds.
  case exists(Operand.Members)
}

extension Condition {
  /// What a condition joins, if it joins with “and” or, else, with “or”: long chains stay flat, as they are built one by one.
  fileprivate func parts(ofAll isAll: Bool) -> [Condition] {
    switch self {
    case .all(let parts) where isAll: parts
    case .any(let parts) where !isAll: parts
    default: [self]
    }
  }
}

/// How a value is compared with another.
enum Comparison: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// How text is compared with other text.
enum TextMatch: Sendable {
  case equals, contains, begins, ends
  /// `?` stands for one character, `*` for any number.
  case like
}

/// A property of the object, or of one that a chain of to-one relationships leads to.
enum PropertyPath: Sendable {
  case keyPath(any AnyKeyPath & Sendable)
  case names([String])
}
