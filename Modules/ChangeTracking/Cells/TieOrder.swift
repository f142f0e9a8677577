import ObjectStore

/// The order that decides between two values with one stamp, which only copies of one store can make.
///
/// One may be what a row shows of it, as its attribute's type holds it. So values that are the same in different types have one place.
struct TieOrder {
  private let number: NumericRank?
  private let bytes: [UInt8]

  init(_ value: AttributeValue) {
    let text: String? =
      switch value {
      case .string(let text), .uri(let text): text
      case .uuid(let identifier): identifier.uuidString
      default: nil
      }
    if let text, let number = Int64(text), "\(number)" == text {
      self.number = NumericRank(.integer(number))
    } else {
      number = NumericRank(value)
    }
    // A value that is not here has the same place as one that is.
    let content = Register.Content.value(text.map { .string($0) } ?? value)
    bytes = number == nil ? content.onTheWire.parkedBytes : []
  }

  /// A value that is not here.
  init(_ value: LongValue) {
    number = nil
    bytes = Register.Content.longValue(value).parkedBytes
  }

  /// Whether this one comes first: numbers before others, and these by their bytes.
  func precedes(_ other: TieOrder) -> Bool {
    switch (number, other.number) {
    case (let number?, let other?): number < other
    case (.some, nil): true
    case (nil, .some): false
    case (nil, nil): bytes.lexicographicallyPrecedes(other.bytes)
    }
  }
}
