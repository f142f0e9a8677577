/// A set of properties of one entity, by their index. Sixty-four fit without allocation.
@frozen public struct PropertyMask: Hashable, Sendable {
  @usableFromInline package var low: UInt64
  // Never ends with a zero word, so that equal sets are equal values.
  @usableFromInline package var high: [UInt64]

  package init(low: UInt64, high: [UInt64]) {
    self.low = low
    self.high = high
  }

  /// The empty set.
  @inlinable public init() {
    low = 0
    high = []
  }

  /// Whether there is no property in the set.
  @inlinable public var isEmpty: Bool { low == 0 && high.isEmpty }

  /// Whether a property is in the set.
  @inlinable public func contains(_ index: Int) -> Bool {
    if index < 64 { return low & (1 << UInt64(index)) != 0 }
    let word = index / 64 - 1
    return word < high.count && high[word] & (1 << UInt64(index % 64)) != 0
  }

  /// Adds a property.
  @inlinable public mutating func insert(_ index: Int) {
    if index < 64 {
      low |= 1 << UInt64(index)
    } else {
      let word = index / 64 - 1
      while high.count <= word { high.append(0) }
      high[word] |= 1 << UInt64(index % 64)
    }
  }

  /// Removes a property.
  @inlinable public mutating func remove(_ index: Int) {
    if index < 64 {
      low &= ~(1 << UInt64(index))
    } else {
      let word = index / 64 - 1
      guard word < high.count else { return }
      high[word] &= ~(1 << UInt64(index % 64))
      while high.last == 0 { high.removeLast() }
    }
  }

  /// Adds all properties of another set.
  @inlinable public mutating func formUnion(_ other: PropertyMask) {
    low |= other.low
    while high.count < other.high.count { high.append(0) }
    for (word, bits) in other.high.enumerated() { high[word] |= bits }
  }

  /// Calls `body` with each index, in ascending order.
  @inlinable public func forEach(_ body: (Int) throws -> Void) rethrows {
    var bits = low
    while bits != 0 {
      try body(bits.trailingZeroBitCount)
      bits &= bits &- 1
    }
    for (word, content) in high.enumerated() {
      var bits = content
      while bits != 0 {
        try body((word + 1) * 64 + bits.trailingZeroBitCount)
        bits &= bits &- 1
      }
    }
  }

  /// The indices in ascending order.
  public var indices: [Int] {
    var indices: [Int] = []
    forEach { indices.append($0) }
    return indices
  }
}
