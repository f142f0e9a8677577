import Foundation

/// Finds out whether a key path leads to a declared property, or to something that is computed from one.
///
/// Following a key path shows which properties are read, and not what is done with them: `title.uppercased()` reads a title.
/// So the properties that are read are given values that no computation is likely to leave as they are, and what comes out must be
/// just these. A computed property that only hands on another one passes; it means the same.
enum PathProbe: CaseIterable {
  /// As in a new object without defaults. First, for nothing that is computed can stumble over it.
  case empty
  /// Great values, and text that no common operation on text leaves alone.
  case great
  /// Small values.
  case small

  /// The value of an attribute.
  func value(_ type: AttributeType) -> AttributeValue {
    switch (self, type) {
    case (.empty, _): .null
    case (.great, .integer16), (.great, .integer32), (.great, .integer64): .integer(12_347)
    case (_, .integer16), (_, .integer32), (_, .integer64): .integer(-12_347)
    case (_, .double): .double(self == .great ? 12_347.5 : -12_347.5)
    case (_, .float): .float(self == .great ? 12_347.5 : -12_347.5)
    case (_, .decimal): .decimal(self == .great ? 12_347.5 : -12_347.5)
    case (_, .date): .date(self == .great ? 8e9 + 0.5 : -8e9 - 0.5)
    case (_, .boolean): .boolean(self == .great)
    case (.great, .string): .string(" aZ\u{c9}\u{e9}/\u{df}.9, " + String(repeating: "long ", count: 200))
    case (_, .string): .string("\n.Z\u{e9}a")
    default: .null
    }
  }

  /// Whether what a key path gave can be what it read last.
  ///
  /// - Parameters:
  ///   - result: What came out.
  ///   - type: The static type of what the key path leads to.
  ///   - resolved: The path of the properties that were read.
  ///   - target: The object that a relationship gave, if it was the last.
  func accepts(_ result: Any, _ type: Any.Type, _ resolved: ResolvedPath, target: ManagedObject?) -> Bool {
    guard let attribute = resolved.property.asAttribute else {
      if resolved.property.asRelationship?.isToMany == true { return true }
      return target.map { (result as? ManagedObject) === $0 } ?? true
    }
    guard let type = type as? any AttributeConvertible.Type, type.attributeType == attribute.type else {
      return false
    }
    // Properties at the end of a relationship may be missing with the object: the path must say so with a question mark.
    if resolved.indices.count > 1, !type.allowsNull { return false }
    return self == .empty || isExpected(result, type, attribute.type)
  }

  private func isExpected<Value: AttributeConvertible>(
    _ result: Any, _: Value.Type, _ type: AttributeType
  ) -> Bool {
    // A type of the application may have no value for the probe, or only something like it.
    let expected =
      (Value(attributeValue: value(type)) ?? Value(attributeValue: .null) ?? Value.absentValue).attributeValue
    guard let result = result as? Value else { return expected.isNull }
    return result.attributeValue == expected || value(type).isNull
  }
}
