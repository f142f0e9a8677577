/// Objects on their way into an array. An array is asked whether it is the only one before each object that it takes, and
/// takes a copy of the reference; a list just takes it.
struct ObjectList: ~Copyable {
  private var references: UnsafeMutablePointer<ManagedObject>
  private var capacity = 64
  private(set) var count = 0

  init() {
    references = .allocate(capacity: capacity)
  }

  deinit {
    references.deinitialize(count: count)
    references.deallocate()
  }

  @inline(__always)
  mutating func append(_ object: consuming ManagedObject) {
    if count == capacity { grow() }
    (references + count).initialize(to: object)
    count += 1
  }

  private mutating func grow() {
    capacity *= 2
    let larger = UnsafeMutablePointer<ManagedObject>.allocate(capacity: capacity)
    larger.moveInitialize(from: references, count: count)
    references.deallocate()
    references = larger
  }

  /// All objects, in order; the list is empty then.
  mutating func takeAll() -> [ManagedObject] {
    // The initializer below writes the length even of an empty array, whose storage all threads share.
    if count == 0 { return [] }
    let objects = [ManagedObject](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = buffer.moveInitialize(
        fromContentsOf: UnsafeMutableBufferPointer(start: references, count: count))
    }
    count = 0
    return objects
  }
}
