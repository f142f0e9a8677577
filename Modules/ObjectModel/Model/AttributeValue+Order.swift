import Foundation

extension AttributeValue {
  /// Whether this value comes before another in the order of SQLite: nothing, numbers, text by bytes, bytes.
  package func precedes(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): return left < right
    case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)),
      (.string(let left), .uri(let right)), (.uri(let left), .string(let right)):
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.data(let left), .data(let right)): return left.lexicographicallyPrecedes(right)
    case (.uuid(let left), .uuid(let right)):
      return withUnsafeBytes(of: left.uuid) { left in
        withUnsafeBytes(of: right.uuid) { left.lexicographicallyPrecedes($0) }
      }
    case (.data(let left), .uuid(let right)):
      return withUnsafeBytes(of: right.uuid) { left.lexicographicallyPrecedes($0) }
    case (.uuid(let left), .data(let right)):
      return withUnsafeBytes(of: left.uuid) { $0.lexicographicallyPrecedes(right) }
    case (.decimal(let left), .decimal(let right)): return left < right
    default:
      if let left = number, let right = other.number { return left < right }
      return rank < other.rank
    }
  }

  private var number: Double? {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .double(let value), .date(let value): value
    case .float(let value): Double(value)
    case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
    case .reference(_, let key): Double(key)
    case .null, .string, .data, .uuid, .uri: nil
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .string, .uri: 2
    case .data, .uuid: 3
    default: 1
    }
  }
}
