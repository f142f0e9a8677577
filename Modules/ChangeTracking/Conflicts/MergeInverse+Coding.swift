import Foundation

/// As a property list or JSON keeps it. What does not decode is damaged, and is refused.
extension MergeInverse.Shown: Codable {
  private enum Key: String, CodingKey {
    case value, target, targets, awaited, isText, length
  }

  init(from decoder: any Decoder) throws {
    let content = try decoder.container(keyedBy: Key.self)
    if let targets = try content.decodeIfPresent(Set<SyncID>.self, forKey: .targets) {
      self = .targets(targets)
    } else if let hash = try content.decodeIfPresent(Data.self, forKey: .awaited) {
      let length = try content.decode(Int.self, forKey: .length)
      guard let hash = ContentHash(bytes: Array(hash)), LongValue.lengths.contains(length) else {
        throw DecodingError.dataCorruptedError(
          forKey: .awaited, in: content, debugDescription: "It is no hash of a long value.")
      }
      let isText = try content.decode(Bool.self, forKey: .isText)
      self = .awaited(LongValue(kind: isText ? .text : .data, length: length, hash: hash))
    } else if let bytes = try content.decodeIfPresent(Data.self, forKey: .value) {
      guard case .value(let value)? = Register.Content(parked: Array(bytes)) else {
        throw DecodingError.dataCorruptedError(
          forKey: .value, in: content, debugDescription: "It is no value.")
      }
      self = .value(ExactValue(value))
    } else {
      self = .target(try content.decodeIfPresent(SyncID.self, forKey: .target))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var content = encoder.container(keyedBy: Key.self)
    switch self {
    case .value(let value): try content.encode(Data(value.value.parkedBytes), forKey: .value)
    case .target(let target): try content.encodeIfPresent(target, forKey: .target)
    case .targets(let targets): try content.encode(targets, forKey: .targets)
    case .awaited(let value):
      try content.encode(Data(value.hash.bytes), forKey: .awaited)
      try content.encode(value.kind == .text, forKey: .isText)
      try content.encode(value.length, forKey: .length)
    }
  }
}

/// As its text.
extension SyncID: Codable {
  /// Reads the text of an identifier.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text of the identifier.
  public func encode(to encoder: any Encoder) throws {
    var content = encoder.singleValueContainer()
    try content.encode(string)
  }
}
