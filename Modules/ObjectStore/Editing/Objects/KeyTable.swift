/// The objects of one table that are in memory, by key: what makes an object unique in its context.
///
/// Keys are handed out in sequence and fetched in sequence, so objects lie in pages of neighbouring keys, and the page that
/// was used last is mostly the one to be used next; the others are found by hashing. No reference is counted: an object
/// enters itself when it is made and leaves when it dies.
///
/// Invariant: a page in `directory` holds at least one object, and `recent` is one of them or nil.
final class KeyTable {
  /// Thirty-two neighbouring keys; lies before its cells in the same piece of memory.
  private struct Page {
    let number: Int64
    var count = 0

    static let keyBits: Int64 = 5
    static let size = 1 << Int(keyBits)
  }

  private typealias Cell = Unmanaged<ManagedObject>?

  /// The context, which holds on to its tables and takes itself out of them when it goes.
  unowned(unsafe) var context: ManagedObjectContext?
  // A table is confined to its context and none of its methods calls out, so accesses cannot overlap.
  @exclusivity(unchecked) private var recent: UnsafeMutablePointer<Page>?
  // Open hashing with linear probing; a power of two long, at most half full.
  @exclusivity(unchecked) private var directory: UnsafeMutableBufferPointer<UnsafeMutablePointer<Page>?>
  @exclusivity(unchecked) private var pageCount = 0
  // Number of objects.
  @exclusivity(unchecked) private(set) var count = 0

  init() {
    directory = .allocate(capacity: 8)
    directory.initialize(repeating: nil)
  }

  deinit {
    for case .some(let page) in directory { Self.free(page) }
    directory.deallocate()
  }

  subscript(key: Int64) -> ManagedObject? { reference(key)?.takeUnretainedValue() }

  /// The object of a key without counting it: for a look that is over before anything can let it go.
  @inline(__always)
  func reference(_ key: Int64) -> Unmanaged<ManagedObject>? {
    guard let page = page(key >> Page.keyBits) else { return nil }
    return Self.cells(page)[Int(key) & (Page.size - 1)]
  }

  func insert(_ object: ManagedObject, for key: Int64) {
    let number = key >> Page.keyBits
    let page = page(number) ?? add(number)
    let cell = Self.cells(page) + (Int(key) & (Page.size - 1))
    if cell.pointee == nil {
      page.pointee.count += 1
      count += 1
    }
    cell.pointee = .passUnretained(object)
  }

  func remove(_ key: Int64) {
    guard let page = page(key >> Page.keyBits) else { return }
    let cell = Self.cells(page) + (Int(key) & (Page.size - 1))
    if cell.pointee == nil { return }
    cell.pointee = nil
    count -= 1
    page.pointee.count -= 1
    if page.pointee.count == 0 { drop(page) }
  }

  func removeAll() {
    for (position, page) in directory.enumerated() {
      if let page { Self.free(page) }
      directory[position] = nil
    }
    recent = nil
    pageCount = 0
    count = 0
  }

  /// All objects, in no particular order.
  var all: [ManagedObject] {
    var objects: [ManagedObject] = []
    objects.reserveCapacity(count)
    for case .some(let page) in directory {
      for index in 0..<Page.size {
        if let object = Self.cells(page)[index] { objects.append(object.takeUnretainedValue()) }
      }
    }
    return objects
  }

  // MARK: - Pages

  @inline(__always)
  private static func cells(_ page: UnsafeMutablePointer<Page>) -> UnsafeMutablePointer<Cell> {
    UnsafeMutableRawPointer(page + 1).assumingMemoryBound(to: Cell.self)
  }

  @inline(__always)
  private func page(_ number: Int64) -> UnsafeMutablePointer<Page>? {
    if let recent, recent.pointee.number == number { return recent }
    return findPage(number)
  }

  @inline(__always)
  private func home(of number: Int64) -> Int {
    // Fibonacci hashing: the upper bits of the product are the well mixed ones.
    Int(truncatingIfNeeded: (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> 32)
      & (directory.count - 1)
  }

  private func findPage(_ number: Int64) -> UnsafeMutablePointer<Page>? {
    var position = home(of: number)
    while let page = directory[position] {
      if page.pointee.number == number {
        recent = page
        return page
      }
      position = (position + 1) & (directory.count - 1)
    }
    return nil
  }

  private func add(_ number: Int64) -> UnsafeMutablePointer<Page> {
    if (pageCount + 1) * 2 > directory.count { grow() }
    let page = Self.allocate(number)
    place(page)
    pageCount += 1
    recent = page
    return page
  }

  private func place(_ page: UnsafeMutablePointer<Page>) {
    var position = home(of: page.pointee.number)
    while directory[position] != nil { position = (position + 1) & (directory.count - 1) }
    directory[position] = page
  }

  private func grow() {
    let old = directory
    directory = .allocate(capacity: old.count * 2)
    directory.initialize(repeating: nil)
    for case .some(let page) in old { place(page) }
    old.deallocate()
  }

  private func drop(_ page: UnsafeMutablePointer<Page>) {
    var gap = home(of: page.pointee.number)
    while directory[gap] != page { gap = (gap + 1) & (directory.count - 1) }
    directory[gap] = nil
    if recent == page { recent = nil }
    Self.free(page)
    pageCount -= 1
    // Pages behind the gap move up to be found: those whose own place is not between the gap and where they are.
    var position = (gap + 1) & (directory.count - 1)
    while let next = directory[position] {
      let distance = (position - home(of: next.pointee.number)) & (directory.count - 1)
      if distance >= (position - gap) & (directory.count - 1) {
        directory[gap] = next
        directory[position] = nil
        gap = position
      }
      position = (position + 1) & (directory.count - 1)
    }
  }

  private static func allocate(_ number: Int64) -> UnsafeMutablePointer<Page> {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Page>.stride + Page.size * MemoryLayout<Cell>.stride,
      alignment: MemoryLayout<Page>.alignment)
    let page = memory.initializeMemory(as: Page.self, to: Page(number: number))
    UnsafeMutableRawPointer(page + 1).initializeMemory(as: Cell.self, repeating: nil, count: Page.size)
    return page
  }

  private static func free(_ page: UnsafeMutablePointer<Page>) {
    UnsafeMutableRawPointer(page).deallocate()
  }
}
