import CoreDataFormats
import Foundation

/// Between the values of keyed archives and those of attributes.
extension AttributeValue {
  /// An archived value as an attribute of this type holds it; `nil` if it cannot.
  ///
  /// Numbers are taken whatever their encoding, because archives do not keep it: 1.0 may come as an integer, true
  /// as 1. A transformable value becomes a keyed archive of its own, as the default transformer writes it.
  package init?(archived object: ArchivedObject, type: AttributeType) {
    switch (type, object) {
    case (_, .null): self = .null
    case (.integer16, _), (.integer32, _), (.integer64, _):
      guard let number = object.wholeNumber else { return nil }
      self = .integer(number)
    case (.boolean, _):
      guard let number = object.wholeNumber else { return nil }
      self = .boolean(number != 0)
    case (.double, _):
      guard let number = object.number else { return nil }
      self = .double(number)
    case (.float, _):
      guard let number = object.number else { return nil }
      self = .float(Float(number))
    case (.decimal, .decimal(let number)):
      guard let number = Decimal(string: number.description, locale: nil) else { return nil }
      self = .decimal(number)
    case (.decimal, _):
      guard let number = object.number.flatMap({ Decimal(nearest: $0) }) else { return nil }
      self = .decimal(number)
    case (.date, .date(let seconds)): self = .date(seconds)
    case (.date, _):
      guard let seconds = object.number else { return nil }
      self = .date(seconds)
    case (.string, .string(let text)): self = .string(text)
    case (.uri, .string(let text)): self = .uri(text)
    case (.uri, .url(let relative, let base)): self = .uri(Self.absolute(relative, base: base))
    case (.uuid, .uuid(let uuid)): self = .uuid(UUID(uuid))
    case (.binary, .data(let bytes)): self = .data(bytes)
    case (.transformable, _): self = .data(KeyedArchive.encode(object))
    default: return nil
    }
    guard type.accepts(self) else { return nil }
  }

  /// The value as a binary store holds it. A transformable's archive is opened, because there the value itself stands
  /// in the slot; bytes that are no archive stay bytes.
  package func archived(type: AttributeType) -> ArchivedObject {
    switch self {
    case .null, .reference: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .double(let value): .real(value)
    case .float(let value): .float(value)
    case .decimal(let value): ArchivedDecimal("\(value)").map { .decimal($0) } ?? .decimal(.notANumber)
    case .string(let value): .string(value)
    case .date(let seconds): .date(seconds)
    case .uuid(let uuid): .uuid(ArchivedUUID(uuid))
    case .uri(let text): .url(relative: text, base: nil)
    case .data(let bytes):
      type == .transformable
        ? (try? KeyedArchive(bytes).decode(allowing: .any)) ?? .data(bytes) : .data(bytes)
    }
  }

  private static func absolute(_ relative: String, base: String?) -> String {
    guard let base, let base = URL(string: base), let url = URL(string: relative, relativeTo: base) else {
      return relative
    }
    return url.absoluteString
  }
}

extension ArchivedObject {
  /// The value if it is a whole number of any encoding.
  var wholeNumber: Int64? {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): value
    case .real(let value): Int64(exactly: value)
    case .float(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The value if it is a number of any encoding.
  var number: Double? {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .real(let value): value
    case .float(let value): Double(value)
    case .decimal(let value): Double(value.description)
    default: nil
    }
  }
}

extension UUID {
  package init(_ uuid: ArchivedUUID) {
    let b = uuid.bytes
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      ))
  }
}

extension ArchivedUUID {
  package init(_ uuid: UUID) {
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    self.init(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }
}
