/// The order of a hash table that Core Data has kept since its first years, because names of tables depend on it.
///
/// All arithmetic is of 32 bits and wraps; characters are UTF-16 units.
enum PropertyOrder {
  /// The place of a key in the table that gives the order.
  static func hash(_ key: String) -> UInt32 {
    let units = Array(key.utf16)
    if units.count <= 23 {
      return spread(roll(UInt32(truncatingIfNeeded: units.count), units[...]), units.count)
    }
    return spread(
      roll(roll(UInt32(truncatingIfNeeded: units.count), units.prefix(8)), units.suffix(16)), units.count)
  }

  /// The place of a key in the table that decides in which order keys enter the former.
  static func entryHash(_ key: String) -> UInt32 {
    let units = Array(key.utf16)
    if units.count <= 96 {
      return spread(roll(UInt32(truncatingIfNeeded: units.count), units[...]), units.count)
    }
    let middle = units.count / 2 - 16
    var hash = roll(UInt32(truncatingIfNeeded: units.count), units.prefix(32))
    hash = roll(hash, units[middle..<middle + 32])
    return spread(roll(hash, units.suffix(32)), units.count)
  }

  /// Jenkins' mix.
  static func mix(_ key: UInt32) -> UInt32 {
    var (a, b, c): (UInt32, UInt32, UInt32) = (key &+ 0x4B61_6E65, 0x4B61_6E65, 1)
    func subtract(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { x &- y &- z }
    a = subtract(a, b, c) ^ (c >> 13)
    b = subtract(b, c, a) ^ (a << 8)
    c = subtract(c, a, b) ^ (b >> 13)
    a = subtract(a, b, c) ^ (c >> 12)
    b = subtract(b, c, a) ^ (a << 16)
    c = subtract(c, a, b) ^ (b >> 5)
    a = subtract(a, b, c) ^ (c >> 3)
    b = subtract(b, c, a) ^ (a << 10)
    c = subtract(c, a, b) ^ (b >> 15)
    return c
  }

  /// Keys in the order of the table, which is made anew of the keys at hand.
  ///
  /// - Parameter keys: in the order in which they enter, which matters where two want the same place.
  static func ordered(_ keys: [String]) -> [String] {
    let size = sizes.first { $0.capacity >= keys.count }
    // Core Data's list of sizes is known so far; a greater entity gets room enough, and an order of its own.
    let count = size?.buckets ?? keys.count * 2 + 1
    var buckets: [String?] = Array(repeating: nil, count: count)
    for key in keys { enter(key, at: Int(hash(key) % UInt32(count)), &buckets) }
    return buckets.compactMap(\.self)
  }

  /// Puts a key at a place, or at the next that is free.
  static func enter(_ key: String, at place: Int, _ buckets: inout [String?]) {
    var place = place
    while buckets[place] != nil { place = (place + 1) % buckets.count }
    buckets[place] = key
  }

  private static let sizes: [(capacity: Int, buckets: Int)] = [
    (4, 5), (8, 11), (17, 23), (29, 41), (47, 67), (76, 113), (123, 199), (199, 317), (322, 521), (521, 839),
    (843, 1361), (1364, 2207),
  ]

  private static func roll(_ start: UInt32, _ units: ArraySlice<UInt16>) -> UInt32 {
    var hash = start
    var index = units.startIndex
    while units.endIndex - index >= 4 {
      hash =
        hash &* 67_503_105 &+ UInt32(units[index]) &* 16_974_593 &+ UInt32(units[index + 1]) &* 66049
        &+ UInt32(units[index + 2]) &* 257 &+ UInt32(units[index + 3])
      index += 4
    }
    while index < units.endIndex {
      hash = hash &* 257 &+ UInt32(units[index])
      index += 1
    }
    return hash
  }

  private static func spread(_ hash: UInt32, _ count: Int) -> UInt32 { hash &+ (hash << UInt32(count % 32)) }
}

/// The keys of an entity in the order in which they enter the table that decides on names.
struct EntryTable {
  private var buckets: [String?] = []
  private var capacity = 3
  private var used: Set<String> = []

  /// The keys in the order of the table.
  var keys: [String] { buckets.compactMap(\.self) }

  /// Whether nothing has entered.
  var isEmpty: Bool { used.isEmpty }

  /// Adds keys, those that are there already excepted.
  mutating func insert(_ keys: some Sequence<String>) {
    for key in keys where !used.contains(key) {
      if buckets.isEmpty || used.count == capacity { grow() }
      used.insert(key)
      enter(key)
    }
  }

  private mutating func enter(_ key: String) {
    let place = PropertyOrder.mix(PropertyOrder.entryHash(key)) % UInt32(buckets.count)
    PropertyOrder.enter(key, at: Int(place), &buckets)
  }

  private mutating func grow() {
    let former = keys
    capacity = 3 << Self.bits(used.count / 3)
    buckets = Array(repeating: nil, count: 4 << Self.bits((capacity - 1) / 3))
    for key in former { enter(key) }
  }

  private static func bits(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }
}
