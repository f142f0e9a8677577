/// The objects of one table that are in memory, by key: what makes an object unique in its context.
///
/// An open hash table without references of its own: an object enters itself when it is made and leaves when it dies.
struct KeyTable {
  private struct Entry {
    // 0 is free, `removed` was in use; neither is ever a key.
    var key: Int64 = 0
    var object: Unmanaged<ManagedObject>?
  }

  private static let removed = Int64.min
  private var entries: ContiguousArray<Entry> = []
  private var mask = 0
  private var used = 0
  private(set) var count = 0

  @inline(__always)
  private func slot(of key: Int64) -> Int {
    // Keys are handed out in sequence and fetched in sequence, so sixteen neighbours stay together in memory; Fibonacci
    // hashing spreads the groups.
    let group = UInt64(bitPattern: key >> 4) &* 0x9E37_79B9_7F4A_7C15
    return (Int(truncatingIfNeeded: group >> 32) << 4 | Int(key & 15)) & mask
  }

  subscript(key: Int64) -> ManagedObject? {
    if count == 0 { return nil }
    return entries.withUnsafeBufferPointer { entries in
      var position = slot(of: key)
      while true {
        let entry = entries[position]
        if entry.key == key { return entry.object?.takeUnretainedValue() }
        if entry.key == 0 { return nil }
        position = (position + 1) & mask
      }
    }
  }

  mutating func insert(_ object: ManagedObject, for key: Int64) {
    if (used + 1) * 4 > entries.count * 3 { grow() }
    place(Unmanaged.passUnretained(object), for: key)
  }

  private mutating func place(_ object: Unmanaged<ManagedObject>, for key: Int64) {
    var position = slot(of: key)
    while entries[position].key != 0, entries[position].key != key { position = (position + 1) & mask }
    if entries[position].key == 0 {
      used += 1
      count += 1
      entries[position].key = key
    }
    entries[position].object = object
  }

  mutating func remove(_ key: Int64) {
    if count == 0 { return }
    var position = slot(of: key)
    while entries[position].key != key {
      if entries[position].key == 0 { return }
      position = (position + 1) & mask
    }
    count -= 1
    entries[position] = Entry(key: Self.removed, object: nil)
    // A place before a free one need not be passed by any search.
    while entries[position].key == Self.removed, entries[(position + 1) & mask].key == 0 {
      entries[position].key = 0
      used -= 1
      position = (position - 1) & mask
    }
  }

  private mutating func grow() {
    let old = entries
    let capacity = max(16, count * 2 + 1).nextPowerOfTwo
    entries = ContiguousArray(repeating: Entry(), count: capacity)
    mask = capacity - 1
    used = 0
    count = 0
    for entry in old {
      if let object = entry.object { place(object, for: entry.key) }
    }
  }

  /// All objects, in no particular order.
  var all: [ManagedObject] { entries.compactMap { $0.object?.takeUnretainedValue() } }
}

extension Int {
  fileprivate var nextPowerOfTwo: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
