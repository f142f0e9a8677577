import Foundation

/// JSON as it is, for filling up values that an earlier version of a type has written.
///
/// Numbers are decimals where these are exact, so that what is decoded of them is what was written.
enum JSONTree: Codable {
  case null
  case boolean(Bool)
  case decimal(Decimal)
  case double(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Decimal.self) {
      self = .decimal(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONTree].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }

  /// The same with those members that it lacks and another one has; in what both have, likewise.
  func filled(from other: JSONTree) -> JSONTree {
    guard case .object(let own) = self, case .object(let others) = other else { return self }
    return .object(own.merging(others) { $0.filled(from: $1) })
  }
}
