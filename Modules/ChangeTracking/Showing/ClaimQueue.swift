/// Claims to values that are kept aside, the greatest first.
///
/// Of several objects that claim a value the greatest claim decides, so whoever is looked at when all greater ones are settled is settled for good:
/// what gives way to him is lesser. Each claim is looked at once, however long the chain is in which one frees what the next one waits for.
struct ClaimQueue {
  struct Claim {
    var stamp: Stamp
    var syncID: SyncID
    var object: RecordID
    var bit: PropertyBit
    /// Which of the object's constraints it is for, in the order in which they are settled.
    var constraint: Int

    /// Whether it is looked at before another one.
    func precedes(_ other: Claim) -> Bool {
      if (stamp, syncID) != (other.stamp, other.syncID) {
        return (stamp, syncID) > (other.stamp, other.syncID)
      }
      // Objects of two families may have one identifier.
      if object != other.object { return object > other.object }
      return constraint < other.constraint
    }
  }

  /// A binary heap: each claim precedes those at twice its position plus one and two.
  private var heap: [Claim] = []
  private var waiting: Set<RegisterID> = []

  /// Adds a claim, unless it waits already.
  mutating func insert(_ claim: Claim) {
    guard waiting.insert(RegisterID(object: claim.object, bit: claim.bit)).inserted else { return }
    heap.append(claim)
    var position = heap.count - 1
    while position > 0, heap[position].precedes(heap[(position - 1) / 2]) {
      heap.swapAt(position, (position - 1) / 2)
      position = (position - 1) / 2
    }
  }

  /// Takes the greatest claim.
  mutating func next() -> Claim? {
    guard let first = heap.first else { return nil }
    waiting.remove(RegisterID(object: first.object, bit: first.bit))
    let last = heap.removeLast()
    if heap.isEmpty { return first }
    heap[0] = last
    var position = 0
    while true {
      let children = (2 * position + 1..<2 * position + 3).clamped(to: heap.indices)
      guard let child = children.min(by: { heap[$0].precedes(heap[$1]) }),
        heap[child].precedes(heap[position])
      else { return first }
      heap.swapAt(position, child)
      position = child
    }
  }
}
