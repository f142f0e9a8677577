/// The objects of one table that are in memory, by key: what makes an object unique in its context.
///
/// An open hash table without references of its own: an object enters itself when it is made and leaves when it dies.
struct KeyTable {
  // 0 is free, `removed` was in use; neither is ever a key.
  private static let removed = Int64.min
  private var keys: ContiguousArray<Int64> = []
  private var objects: ContiguousArray<Unmanaged<ManagedObject>?> = []
  private var used = 0
  private(set) var count = 0

  private func slot(of key: Int64) -> Int {
    // Fibonacci hashing spreads consecutive keys over the table.
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (keys.count - 1)
  }

  subscript(key: Int64) -> ManagedObject? {
    if count == 0 { return nil }
    var position = slot(of: key)
    while true {
      let found = keys[position]
      if found == key { return objects[position]?.takeUnretainedValue() }
      if found == 0 { return nil }
      position = (position + 1) & (keys.count - 1)
    }
  }

  mutating func insert(_ object: ManagedObject, for key: Int64) {
    if (used + 1) * 2 > keys.count { grow() }
    place(Unmanaged.passUnretained(object), for: key)
  }

  private mutating func place(_ object: Unmanaged<ManagedObject>, for key: Int64) {
    var position = slot(of: key)
    while keys[position] != 0, keys[position] != key { position = (position + 1) & (keys.count - 1) }
    if keys[position] == 0 {
      used += 1
      count += 1
      keys[position] = key
    }
    objects[position] = object
  }

  mutating func remove(_ key: Int64) {
    if count == 0 { return }
    var position = slot(of: key)
    while keys[position] != key {
      if keys[position] == 0 { return }
      position = (position + 1) & (keys.count - 1)
    }
    count -= 1
    objects[position] = nil
    if count == 0 {
      // Nothing is left that a search would have to pass, so all places are free again.
      for index in keys.indices { keys[index] = 0 }
      used = 0
      return
    }
    keys[position] = Self.removed
    // A place before a free one need not be passed by any search.
    while keys[position] == Self.removed, keys[(position + 1) & (keys.count - 1)] == 0 {
      keys[position] = 0
      used -= 1
      position = (position - 1) & (keys.count - 1)
    }
  }

  private mutating func grow() {
    let old = (keys, objects)
    let capacity = max(16, count * 4).nextPowerOfTwo
    keys = ContiguousArray(repeating: 0, count: capacity)
    objects = ContiguousArray(repeating: nil, count: capacity)
    used = 0
    count = 0
    for (key, object) in zip(old.0, old.1) {
      if let object { place(object, for: key) }
    }
  }

  /// All objects, in no particular order.
  var all: [ManagedObject] { objects.compactMap { $0?.takeUnretainedValue() } }
}

extension Int {
  fileprivate var nextPowerOfTwo: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
