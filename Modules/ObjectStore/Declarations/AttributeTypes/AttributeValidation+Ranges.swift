extension AttributeValidation {
  /// Admits the values of a range, such as `.range(1...5)`; for dates, numbers and types of one's own that are stored as such.
  ///
  /// Whole numbers may bound an attribute of another type of numbers. Bounds that are not of the attribute's type are an error of
  /// the model.
  public static func range<Value: AttributeConvertible & Comparable>(
    _ range: ClosedRange<Value>
  ) -> AttributeValidation {
    AttributeValidation(minimum: range.lowerBound.attributeValue, maximum: range.upperBound.attributeValue)
  }

  /// Admits the values from a bound on, such as `.range(0...)`.
  public static func range<Value: AttributeConvertible & Comparable>(
    _ range: PartialRangeFrom<Value>
  ) -> AttributeValidation {
    AttributeValidation(minimum: range.lowerBound.attributeValue)
  }

  /// Admits the values up to a bound, such as `.range(...100)`.
  public static func range<Value: AttributeConvertible & Comparable>(
    _ range: PartialRangeThrough<Value>
  ) -> AttributeValidation {
    AttributeValidation(maximum: range.upperBound.attributeValue)
  }

  /// Admits text with so many UTF-16 units, which Core Data counts, or data with so many bytes, such as `.length(1...80)`.
  public static func length(_ range: ClosedRange<Int>) -> AttributeValidation {
    AttributeValidation(minimumLength: range.lowerBound, maximumLength: range.upperBound)
  }

  /// Admits text with at least so many UTF-16 units, or data with so many bytes.
  public static func length(_ range: PartialRangeFrom<Int>) -> AttributeValidation {
    AttributeValidation(minimumLength: range.lowerBound)
  }

  /// Admits text with at most so many UTF-16 units, or data with so many bytes.
  public static func length(_ range: PartialRangeThrough<Int>) -> AttributeValidation {
    AttributeValidation(maximumLength: range.upperBound)
  }

  /// Admits text that matches a regular expression as a whole.
  public static func pattern(_ pattern: String) -> AttributeValidation {
    AttributeValidation(pattern: pattern)
  }
}
