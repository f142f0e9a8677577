import Foundation
import ObjectStore

extension AttributeValue {
  /// A value of a type, most often one at the edge of what the type holds.
  static func atTheEdge(
    of type: AttributeType, isExternal: Bool = false, using random: inout SeededGenerator
  ) -> AttributeValue {
    if Int.random(in: 0..<7, using: &random) == 0 { return .null }
    func one<Value>(of values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    let reals = [
      0, 1, -1.5, .pi, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity, 1e15, 1 / 3,
    ]
    switch type {
    case .integer16: return .integer(Int64(one(of: [.min, -1, 0, 1, 300, .max] as [Int16])))
    case .integer32: return .integer(Int64(one(of: [.min, -1, 0, 70_000, .max] as [Int32])))
    case .integer64: return .integer(one(of: [.min, -1, 0, 1 << 53 + 1, .max]))
    case .boolean: return .boolean(one(of: [false, true]))
    case .double: return .double(one(of: reals))
    case .float:
      return .float(
        one(of: [0, -2.5, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, 16_777_216]))
    case .date:
      return .date(one(of: [0, -63_114_076_800, 325_252_800.5, 1e-3, 63_113_904_000, -0.1, 0.1 + 0.2]))
    case .decimal: return .decimal(Decimal(string: one(of: decimals)) ?? 0)
    case .string: return .string(one(of: texts))
    case .uri: return .uri(one(of: ["https://example.org/ä?b#c", "file:///a%20b", "1", "1e3", "urn:x"]))
    case .uuid:
      var bytes = UUID().uuid
      withUnsafeMutableBytes(of: &bytes) { bytes in
        for index in bytes.indices { bytes[index] = one(of: [0, 0xFF, 0x7F, 42]) }
      }
      return .uuid(UUID(uuid: bytes))
    case .binary, .transformable:
      // Contents that look like the marks of values that are kept elsewhere, and lengths around the limit for a file.
      let marks: [[UInt8]] = [[], [0], [1], [2], [1, 2, 3], [2] + [UInt8](repeating: 0x41, count: 36) + [0]]
      let lengths = isExternal ? [0, 1, 38, 131_072, 131_073, 150_000] : [0, 1, 38, 5_000]
      let long = [UInt8](repeating: one(of: [1, 2, 0xFE]), count: one(of: lengths))
      return .data(one(of: marks + [long, long, long]))
    case .undefined, .objectID, .composite: return .null
    }
  }

  private static let texts = [
    "", " ", "a", "Äpfel und Öl", "A\u{308}", "a\0b", "12", "1e5", "-0", "NULL", "' OR 1=1 --", "\u{FEFF}x",
    "🙂👩‍👩‍👧",
    "line\nline\r\n\t", String(repeating: "long ", count: 3_000), "0x10", "Infinity",
  ]
  private static let decimals = [
    "0", "1", "-1", "12.5", "-0.01", "0.1", "123456789.25", "9007199254740993", "-999999999999.999", "1e20",
    "1e-20", "1e-128", "-9e-128", "123456789012345e-128", "1e127",
  ]
}
