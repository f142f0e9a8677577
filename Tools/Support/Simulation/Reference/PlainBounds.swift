import ObjectStore

extension AttributeType {
  /// The whole numbers that an attribute of the type can hold; `nil` for other types.
  var wholeNumbers: ClosedRange<Int64>? {
    switch self {
    case .integer16: -32_768...32_767
    case .integer32: -2_147_483_648...2_147_483_647
    case .integer64: .min...(.max)
    default: nil
    }
  }
}
