import ObjectStore

/// A text or data value that is too long to travel in a set: what the set says of it instead.
///
/// The bytes are a file of their own, named by their hash, and written once however many changes mention them.
public struct LongValue: Hashable, Sendable {
  /// What the bytes are.
  public enum Kind: Hashable, Sendable {
    /// UTF-8.
    case text
    /// Any bytes.
    case data
  }

  /// What the bytes are.
  public var kind: Kind
  /// Number of bytes: more than ``threshold``, at most ``lengthLimit``.
  public var length: Int
  /// Hash of the bytes as they are before sealing.
  public var hash: ContentHash

  /// Text and data of more bytes than this travel out of line: 16 KiB. Part of the format, so that all devices
  /// order values in the same way.
  public static let threshold = 16_384
  /// The longest value that travels out of line: 1 GiB.
  public static let lengthLimit = 1 << 30

  init(kind: Kind, length: Int, hash: ContentHash) {
    self.kind = kind
    self.length = length
    self.hash = hash
  }

  /// Describes a value; `nil` if it travels in the set.
  public init?(_ value: AttributeValue) {
    guard let (kind, bytes) = Self.bytes(of: value) else { return nil }
    self.init(kind: kind, length: bytes.count, hash: ContentHash(of: bytes))
  }

  /// The bytes of a value that travels out of line; `nil` if it does not.
  static func bytes(of value: AttributeValue) -> (Kind, [UInt8])? {
    switch value {
    case .string(let text) where lengths.contains(text.utf8.count): (.text, Array(text.utf8))
    case .data(let bytes) where lengths.contains(bytes.count): (.data, Array(bytes))
    default: nil
    }
  }

  static let lengths = threshold + 1...lengthLimit

  /// The value that some bytes are; `nil` if they are not those that are meant.
  public func value(of bytes: [UInt8]) -> AttributeValue? {
    guard bytes.count == length, ContentHash(of: bytes) == hash else { return nil }
    switch kind {
    case .data: return .data(bytes)
    case .text: return String(validating: bytes, as: UTF8.self).map { .string($0) }
    }
  }
}

/// Long values that could be fetched, each verified against its hash.
public struct FetchedLongValues: Sendable {
  private var values: [LongValue: AttributeValue] = [:]

  /// Nothing fetched.
  public init() {}

  /// Whether nothing was fetched.
  public var isEmpty: Bool { values.isEmpty }

  /// Takes the bytes of a value.
  ///
  /// - Returns: `false`, and takes nothing, if they are not those that are meant.
  public mutating func add(_ bytes: [UInt8], as reference: LongValue) -> Bool {
    guard let value = reference.value(of: bytes) else { return false }
    values[reference] = value
    return true
  }

  subscript(reference: LongValue) -> AttributeValue? { values[reference] }
}

extension ChangeSet {
  /// The values of these changes that travel out of line and are not here, each once.
  public var missingLongValues: [LongValue] {
    var seen: Set<LongValue> = []
    var missing: [LongValue] = []
    for change in changes {
      for register in change.registers {
        guard case .longValue(let reference) = register.content, seen.insert(reference).inserted else {
          continue
        }
        missing.append(reference)
      }
    }
    return missing
  }

  /// Puts values in their places, as far as they were fetched.
  public mutating func fill(with values: FetchedLongValues) {
    guard !values.isEmpty else { return }
    for index in changes.indices {
      switch changes[index].action {
      case .insert(let registers): changes[index].action = .insert(Self.filled(registers, with: values))
      case .update(let registers): changes[index].action = .update(Self.filled(registers, with: values))
      case .clear(let registers): changes[index].action = .clear(Self.filled(registers, with: values))
      case .delete, .link, .unlink, .place, .contribute: break
      }
    }
  }

  private static func filled(_ registers: [Register], with values: FetchedLongValues) -> [Register] {
    registers.map { register in
      guard case .longValue(let reference) = register.content, let value = values[reference] else {
        return register
      }
      return Register(property: register.property, content: .value(value))
    }
  }
}

extension Change {
  /// The registers that an insertion, an update or what was cleared writes.
  var registers: [Register] {
    switch action {
    case .insert(let registers), .update(let registers), .clear(let registers): registers
    case .delete, .link, .unlink, .place, .contribute: []
    }
  }
}

extension Register.Content {
  /// The content as a set says it.
  var onTheWire: Register.Content {
    if case .value(let value) = self, let reference = LongValue(value) { .longValue(reference) } else { self }
  }
}
