import Foundation
import ObjectStore

/// Devices may have versions of the model in which an attribute has different types. Sets say what was written; a row shows it as its
/// own type holds it, by the rules by which migrations from one version to the other convert stored values, in as many steps as there are
/// versions, and back where nothing is lost by it.
extension AttributeValue {
  /// The same value as attributes of other types hold it, the likeliest first.
  var equivalents: [AttributeValue] {
    switch self {
    case .integer(let number): Self.numbers(number) + [.string("\(number)")]
    case .boolean(let flag): Self.numbers(flag ? 1 : 0) + [.string(flag ? "1" : "0")]
    case .float(let number): Self.fractions(Double(number))
    case .double(let number), .date(let number): Self.fractions(number)
    case .decimal(let number):
      Self.integer(number).map(Self.numbers) ?? []
    case .string(let text): Self.values(of: text)
    case .uuid(let identifier): [.string(identifier.uuidString)]
    case .uri(let text): [.string(text)]
    case .null, .data, .reference: []
    }
  }

  /// A number that need not be whole in all types that hold it exactly. A date is a number of seconds.
  private static func fractions(_ number: Double) -> [AttributeValue] {
    [.date(number), .double(number)] + (Float(exactly: number).map { [.float($0)] } ?? [])
      + (Int64(exactly: number).map(Self.numbers) ?? [])
  }

  /// A whole number in all types that hold it exactly.
  private static func numbers(_ number: Int64) -> [AttributeValue] {
    var values: [AttributeValue] = [.integer(number), .decimal(Decimal(number))]
    if let double = Double(exactly: number) { values += [.double(double), .date(double)] }
    if let float = Float(exactly: number) { values.append(.float(float)) }
    if number == 0 || number == 1 { values.append(.boolean(number == 1)) }
    return values
  }

  private static func integer(_ number: Decimal) -> Int64? {
    let integer = NSDecimalNumber(decimal: number).int64Value
    return Decimal(integer) == number ? integer : nil
  }

  /// What a text stands for that a conversion has made of it.
  private static func values(of text: String) -> [AttributeValue] {
    if let number = Int64(text), "\(number)" == text { return Self.numbers(number) + [.uri(text)] }
    if let identifier = UUID(uuidString: text), identifier.uuidString == text {
      return [.uuid(identifier), .uri(text)]
    }
    return [.uri(text)]
  }
}

extension LocalStore {
  /// A value as an attribute can hold it; `nil` if it cannot.
  func holdable(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> AttributeValue?
  {
    if canHold(value, entity, property) { return value }
    return value.equivalents.first { canHold($0, entity, property) }
  }
}

extension AttributeValue {
  /// A number without its fraction, within the bounds of an integer.
  private var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Self.truncated(number)
    case .float(let number): Self.truncated(Double(number))
    case .decimal(let number): Self.truncated(NSDecimalNumber(decimal: number).doubleValue)
    default: nil
    }
  }

  private static func truncated(_ number: Double) -> Int64? {
    guard !number.isNaN else { return nil }
    return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }

  /// Two numbers of different types in the type of them that holds more; `nil` for what is no number.
  func promoted(with other: AttributeValue) -> (AttributeValue, AttributeValue)? {
    guard let own = rank, let theirs = other.rank, own != theirs else { return nil }
    let rank = max(own, theirs)
    guard let left = number(of: rank), let right = other.number(of: rank) else { return nil }
    return (left, right)
  }

  /// Whether it can be part of a sum.
  var isSummand: Bool {
    switch self {
    case .float(let number): !number.isNaN
    case .double(let number): !number.isNaN
    default: rank != nil
    }
  }

  /// The nearest numbers of all types, bounds where a type ends before.
  var nearestNumbers: [AttributeValue] {
    guard let number = double else { return [] }
    let (least, greatest) = (-Decimal.greatestFiniteMagnitude, Decimal.greatestFiniteMagnitude)
    let float = Float.greatestFiniteMagnitude
    let whole = wholeNumber ?? 0
    return [
      .double(number), .float(number.isFinite ? max(-float, min(float, Float(number))) : Float(number)),
      .decimal(Decimal(nearest: number) ?? (number < 0 ? least : greatest)), .integer(whole),
    ] + [Int64(Int32.max), Int64(Int16.max)].map { .integer(whole < 0 ? ~$0 : $0) }
  }

  private var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .float(let number): number.isNaN ? nil : Double(number)
    case .double(let number): number.isNaN ? nil : number
    case .decimal(let number): Double(number.description)
    default: nil
    }
  }

  private var rank: Int? {
    switch self {
    case .integer: 0
    case .float: 1
    case .double: 2
    case .decimal: 3
    default: nil
    }
  }

  private func number(of rank: Int) -> AttributeValue? {
    switch (self, rank) {
    case (.integer, 0), (.float, 1), (.double, 2), (.decimal, 3): self
    case (.integer(let number), 1): .float(Float(number))
    case (.integer(let number), 2): .double(Double(number))
    case (.integer(let number), 3): .decimal(Decimal(number))
    case (.float(let number), 2): .double(Double(number))
    case (.float(let number), 3): Decimal(nearest: Double(number)).map { .decimal($0) }
    case (.double(let number), 3): Decimal(nearest: number).map { .decimal($0) }
    default: nil
    }
  }
}
