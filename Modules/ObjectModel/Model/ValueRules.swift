/// Finds the rules of attributes that values break. Compiles each pattern once, so keep it for many values.
package final class ValueRules {
  // A pattern was checked when the model was built.
  private var patterns: [String: Regex<AnyRegexOutput>] = [:]

  package init() {}

  /// What is wrong with a value, to be read after the name of its attribute. A missing value breaks no rule.
  package func violations(_ rules: AttributeValidation, by value: AttributeValue) -> [String] {
    if value.isNull { return [] }
    var reasons: [String] = []
    if let minimum = rules.minimum, value.precedes(minimum) { reasons.append("is less than admitted") }
    if let maximum = rules.maximum, maximum.precedes(value) { reasons.append("is greater than admitted") }
    let length: Int? =
      switch value {
      case .string(let text): text.utf16.count
      case .data(let bytes): bytes.count
      default: nil
      }
    if let length, let least = rules.minimumLength, length < least {
      reasons.append("is shorter than admitted")
    }
    if let length, let most = rules.maximumLength, length > most { reasons.append("is longer than admitted") }
    if let pattern = rules.pattern, case .string(let text) = value {
      if patterns[pattern] == nil { patterns[pattern] = try? Regex(pattern) }
      if let regex = patterns[pattern], text.wholeMatch(of: regex) == nil {
        reasons.append("does not match its pattern")
      }
    }
    return reasons
  }
}
