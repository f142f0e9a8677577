import Foundation
import ObjectStore

/// Values of attributes, out of few, so that devices often write what others wrote or looked for.
struct DrawnValues {
  let features: Features

  /// A value that the attribute admits; not null.
  func value(of attribute: AttributeDescription, using random: inout SeededRandomSource) -> AttributeValue {
    switch attribute.type {
    case .integer16: return .integer([-32_768, -1, 0, 7, 32_767].randomElement(using: &random) ?? 0)
    case .integer32:
      return .integer([-2_147_483_648, -1, 0, 7, 2_147_483_647].randomElement(using: &random) ?? 0)
    case .integer64:
      if !attribute.validation.isEmpty || random.oneIn(2) {
        return .integer(Int64.random(in: -3...3, using: &random))
      }
      return .integer([.min, -100_000, 100_000, .max].randomElement(using: &random) ?? 0)
    case .double where features.has(.oddNumbers) && random.oneIn(2):
      return .double(Self.oddNumbers.randomElement(using: &random) ?? 0)
    case .float where features.has(.oddNumbers) && random.oneIn(2):
      return .float([.infinity, -.infinity, .leastNonzeroMagnitude, 3e38].randomElement(using: &random) ?? 0)
    case .date where features.has(.oddNumbers) && random.oneIn(2):
      return .date((Self.oddNumbers + [9e9, -9e9]).randomElement(using: &random) ?? 0)
    case .double: return .double([-1.5, 0, 0.1, 3, 1e300].randomElement(using: &random) ?? 0)
    case .float: return .float([-1.5, 0, 0.1, 3, 1e30].randomElement(using: &random) ?? 0)
    case .decimal: return .decimal(Decimal(Int.random(in: -99...99, using: &random)) / 10)
    case .boolean: return .boolean(Bool.random(using: &random))
    case .date: return .date(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 8)
    case .string: return .string(text(isShort: !attribute.validation.isEmpty, using: &random))
    case .uri: return .uri("https://example.org/\(Int.random(in: 0..<5, using: &random))")
    case .uuid:
      let last = UInt8.random(in: 0..<5, using: &random)
      return .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last)))
    case .binary, .transformable:
      return .data(bytes(isExternal: attribute.allowsExternalStorage, using: &random))
    case .undefined, .objectID, .composite: return .null
    }
  }

  private static let oddNumbers = [
    Double.infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -1e300,
  ]

  private func text(isShort: Bool, using random: inout SeededRandomSource) -> String {
    if features.has(.longValues), !isShort, random.oneIn(4) {
      return String(repeating: "t", count: 16_383 + Int.random(in: 0..<4, using: &random))
    }
    if features.has(.lookAlikes), random.oneIn(3) { return Self.lookAlike(using: &random) }
    return ["", "a", "a\0b", "' OR 1", "🙂", "text 1", "text 2"].randomElement(using: &random) ?? ""
  }

  /// One word in two Unicode forms.
  static func lookAlike(using random: inout SeededRandomSource) -> String {
    Bool.random(using: &random) ? "caf\u{e9}" : "cafe\u{301}"
  }

  private func bytes(isExternal: Bool, using random: inout SeededRandomSource) -> [UInt8] {
    let byte = UInt8.random(in: 0...2, using: &random)
    if isExternal, random.oneIn(6) { return Array(repeating: byte, count: 128 * 1024 + 1) }
    if features.has(.longValues), random.oneIn(4) { return Array(repeating: byte, count: 16_385) }
    return Array(repeating: byte, count: Int.random(in: 0..<20, using: &random))
  }

  /// A value of an attribute that makes up a natural key, or that is unique: one of four.
  func key(_ type: AttributeType, using random: inout SeededRandomSource) -> AttributeValue {
    if type == .string, features.has(.lookAlikes), random.oneIn(2) {
      return .string(Self.lookAlike(using: &random))
    }
    let number = Int64.random(in: 0..<4, using: &random)
    switch type {
    case .integer16, .integer32, .integer64: return .integer(number)
    case .double: return .double(Double(number) / 2)
    case .decimal: return .decimal(Decimal(number) / 4)
    case .boolean: return .boolean(number < 2)
    case .date: return .date(Double(number) / 8)
    case .uuid: return .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(number))))
    case .uri: return .uri("https://example.org/\(number)")
    case .binary: return .data(Array(repeating: 7, count: Int(number)))
    default: return .string("key \(number)")
    }
  }
}
