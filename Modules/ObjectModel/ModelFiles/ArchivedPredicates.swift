import CoreDataFormats

/// Predicates and expressions, as compiled models hold them for validation and derived attributes.
extension CompiledModelWriter {
  /// A predicate that values must satisfy, and what is told of those that do not.
  struct ValidationRule {
    let predicate: Reference
    let warning: Reference
  }

  /// The codes of `NSPredicateOperator`.
  private enum Operator: Int64 {
    case lessOrEqual = 1
    case greaterOrEqual = 3
    case matches = 6
  }

  /// The codes of errors that Core Data's compiler notes, as texts, for the bounds that its editor offers.
  private enum Warning: Int {
    case numberTooLarge = 1610
    case numberTooSmall = 1620
    case dateTooLate = 1630
    case dateTooSoon = 1640
    case textTooLong = 1660
    case textTooShort = 1670
    case patternNotMatched = 1680
  }

  mutating func validationPredicates(_ attribute: AttributeDescription) -> [ValidationRule] {
    let validation = attribute.validation
    let isDate = attribute.type == .date
    var rules: [ValidationRule] = []
    func constant(_ value: AttributeValue) -> ArchivedObject { value.archived(type: attribute.type) }
    if let minimum = validation.minimum {
      rules.append(
        rule(selfExpression(), .greaterOrEqual, constant(minimum), isDate ? .dateTooSoon : .numberTooSmall))
    }
    if let maximum = validation.maximum {
      rules.append(
        rule(selfExpression(), .lessOrEqual, constant(maximum), isDate ? .dateTooLate : .numberTooLarge))
    }
    if let minimum = validation.minimumLength {
      rules.append(rule(path(["length"]), .greaterOrEqual, .integer(Int64(minimum)), .textTooShort))
    }
    if let maximum = validation.maximumLength {
      rules.append(rule(path(["length"]), .lessOrEqual, .integer(Int64(maximum)), .textTooLong))
    }
    if let pattern = validation.pattern {
      rules.append(rule(selfExpression(), .matches, .string(pattern), .patternNotMatched))
    }
    return rules
  }

  private mutating func rule(
    _ left: Reference, _ comparison: Operator, _ constant: ArchivedObject, _ warning: Warning
  ) -> ValidationRule {
    let right = writer.add(
      ["NSConstantValueExpression", "NSExpression"],
      ["NSExpressionType": .integer(0), "NSConstantValue": .uid(writer.add(constant))])
    let predicate = writer.add(
      ["NSComparisonPredicate", "NSPredicate"],
      [
        "NSLeftExpression": .uid(left), "NSRightExpression": .uid(right),
        "NSPredicateOperator": .uid(predicateOperator(comparison)),
      ])
    return ValidationRule(predicate: predicate, warning: text("\(warning.rawValue)"))
  }

  private mutating func predicateOperator(_ comparison: Operator) -> Reference {
    var fields: [String: PropertyList] = [
      "NSModifier": .integer(0), "NSOperatorType": .integer(comparison.rawValue),
    ]
    if comparison == .matches {
      // Inferred from the operators of text that published models have; none has this one.
      fields["NSFlags"] = .integer(0)
      return writer.add(
        ["NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator"], fields)
    }
    fields["NSVariant"] = .integer(comparison.rawValue)
    fields["NSOptions"] = .integer(0)
    return writer.add(["NSComparisonPredicateOperator", "NSPredicateOperator"], fields)
  }

  // MARK: Expressions

  mutating func expression(_ derivation: Derivation) -> Reference {
    let arguments = derivation.names.isEmpty ? [] : [path(derivation.names)]
    return derivation.functionName.map { call($0, on: arguments) } ?? path(derivation.names)
  }

  private mutating func call(_ name: String, on arguments: [Reference]) -> Reference {
    let library = writer.add(
      ["NSConstantValueExpression", "NSExpression"],
      [
        "NSExpressionType": .integer(0),
        "NSConstantValueClassName": .uid(text("_NSPredicateUtilities")),
      ])
    return writer.add(
      ["NSFunctionExpression", "NSExpression"],
      [
        "NSExpressionType": .integer(4), "NSSelectorName": .uid(text(name)), "NSOperand": .uid(library),
        "NSArguments": .uid(collection(["NSArray"], arguments)),
      ])
  }

  private mutating func path(_ names: [String]) -> Reference {
    let specifier = writer.add(
      ["NSKeyPathSpecifierExpression", "NSExpression"],
      [
        "NSExpressionType": .integer(10), "NSKeyPath": .uid(text(names.joined(separator: "."))),
      ])
    let selector = names.count == 1 ? "valueForKey:" : "valueForKeyPath:"
    return writer.add(
      ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression"],
      [
        "NSExpressionType": .integer(3), "NSSelectorName": .uid(text(selector)),
        "NSOperand": .uid(selfExpression()),
        "NSArguments": .uid(collection(["NSMutableArray", "NSArray"], [specifier])),
      ])
  }

  private mutating func selfExpression() -> Reference {
    writer.add(["NSSelfExpression", "NSExpression"], ["NSExpressionType": .integer(1)])
  }
}
