/// Where a member stands in an ordered relationship: a byte string between those of its neighbours.
///
/// A key is a path in the tree of Fugue (Weidner and Kleppmann, "The Art of the Fugue: Minimizing Interleaving in
/// Collaborative Text Editing", 2023), written so that bytes compare as the tree is walked. Each step of the path is a run:
/// a side, the run's author, and a counter that goes up where its author appends and down where he prepends. What two
/// authors put into one gap is therefore never interleaved, and a list that grows at its ends has short keys. A move is a new
/// key for one member (Kleppmann, "Moving Elements in List CRDTs", 2020).
///
/// Two keys are equal only if copies of one store made them; such members stand in the order of their sync IDs.
struct PlaceKey: Hashable {
  /// As stored and sent.
  let bytes: [UInt8]

  /// A key as received; any bytes have a place in the order.
  init(bytes: [UInt8]) { self.bytes = bytes }

  /// What distinguishes the runs of an author.
  struct Tag: Hashable {
    let bytes: [UInt8]

    init(_ author: AuthorID) {
      var bytes: [UInt8] = []
      bytes.appendBigEndian(author.bits >> 32, count: 4)
      self.bytes = bytes
    }
  }

  /// A path ends with `end`; what stands to its left and right sorts before and after it.
  private enum Mark {
    static let left: UInt8 = 0x20
    static let end: UInt8 = 0x40
    static let right: UInt8 = 0x60
  }

  /// Without the mark at the end.
  private var path: ArraySlice<UInt8> { bytes.dropLast() }

  private init(path: some Sequence<UInt8>, run: [UInt8], counter: Int64) {
    bytes = path + run + Self.ordered(counter) + [Mark.end]
  }

  /// New keys in ascending order between two others.
  ///
  /// - Parameters:
  ///   - left: The key before the gap; `nil` at the beginning of the list.
  ///   - right: The key after the gap, which is greater than `left`; `nil` at the end.
  static func between(_ left: PlaceKey?, _ right: PlaceKey?, count: Int, tag: Tag) -> [PlaceKey] {
    guard count > 0 else { return [] }
    if let left, let last = left.lastStep(of: tag), last.counter < Int64.max >> 8 - Int64(count) {
      let keys = last.keys(from: last.counter + 1, count: count)
      if left < keys[0], right.map({ keys[count - 1] < $0 }) ?? true { return keys }
    }
    if let right, let first = right.lastStep(of: tag), first.counter > Int64.min >> 8 + Int64(count) {
      let keys = first.keys(from: first.counter - Int64(count), count: count)
      if keys[count - 1] < right, left.map({ $0 < keys[0] }) ?? true { return keys }
    }
    // Beside the neighbour that lies deeper in the tree.
    let step: Step
    if let right, left.map({ right.bytes.starts(with: $0.path) }) ?? true {
      step = Step(path: Array(right.path), run: [Mark.left] + tag.bytes, counter: 0)
    } else {
      step = Step(path: left.map { Array($0.path) } ?? [], run: [Mark.right] + tag.bytes, counter: 0)
    }
    return step.keys(from: 0, count: count)
  }

  // MARK: Steps

  private struct Step {
    var path: [UInt8]
    /// Side and tag.
    var run: [UInt8]
    var counter: Int64

    func keys(from first: Int64, count: Int) -> [PlaceKey] {
      (0..<Int64(count)).map { PlaceKey(path: path, run: run, counter: first + $0) }
    }
  }

  /// The last step of the path, if it belongs to a run of this author.
  private func lastStep(of tag: Tag) -> Step? {
    // A counter takes one to eight bytes, of which the first tells how many.
    for width in 0..<8 where bytes.count >= width + 7 {
      let start = bytes.count - width - 2
      guard let counter = Self.counter(bytes[start..<bytes.count - 1]) else { continue }
      let run = bytes[start - 5..<start]
      guard run.dropFirst().elementsEqual(tag.bytes), run.first == Mark.left || run.first == Mark.right else {
        continue
      }
      return Step(path: Array(bytes[..<(start - 5)]), run: Array(run), counter: counter)
    }
    return nil
  }

  /// A counter as bytes that sort like it: the first is 128, more or less by the number of bytes that follow.
  private static func ordered(_ counter: Int64) -> [UInt8] {
    let magnitude = counter.magnitude
    let width = (71 - magnitude.leadingZeroBitCount) / 8
    var bytes: [UInt8] = [counter < 0 ? 0x80 - UInt8(width) : 0x80 + UInt8(width)]
    bytes.appendBigEndian(counter < 0 ? ~magnitude : magnitude, count: width)
    return bytes
  }

  private static func counter(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard let first = bytes.first, bytes.count <= 8 else { return nil }
    let width = bytes.count - 1
    let magnitude = bytes.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    if Int(first) == 0x80 + width { return Int64(magnitude) }
    if Int(first) == 0x80 - width { return -Int64(~magnitude & ((1 << UInt64(8 * width)) - 1)) }
    return nil
  }
}

extension PlaceKey: Comparable {
  /// Orders by the bytes.
  static func < (left: PlaceKey, right: PlaceKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
