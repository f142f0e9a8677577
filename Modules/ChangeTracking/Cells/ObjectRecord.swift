/// The cells of one object: its existence and the clock of each register.
///
/// A register's stamp is the greatest of what is noted for it in ``clocks``, the insertion (if the insertion wrote it:
/// ``covered``) and the deletion, which erases all registers. The object lives if its insertion is later than its deletion.
struct ObjectRecord {
  let id: RecordID
  let syncID: SyncID
  /// The root below which the identifier is unique.
  let root: EntityNumber
  /// What the latest insertion said; as long as there is none, what was said first.
  var entity = EntityNumber.unknown
  /// The row that shows the object; `nil` if it does not live or the local model does not know its entity.
  var row: RowNumber?
  var inserted = Stamp.zero
  var deleted = Stamp.zero
  /// The registers that were written by the insertion. Those beyond the first word always stand in ``clocks``.
  var covered: UInt64 = 0
  /// Registers written later than the insertion, or not by it.
  var clocks: [RegisterClock] = []

  var isStored = false
  var isChanged = false
  /// Whether links or parked registers may mention the object. Without it, showing the object needs no search.
  var hasTraces = false

  init(id: RecordID, syncID: SyncID, root: EntityNumber) {
    self.id = id
    self.syncID = syncID
    self.root = root
  }

  var lives: Bool { inserted > deleted }

  /// The latest stamp of its existence and its registers.
  var latest: Stamp { clocks.reduce(max(inserted, deleted)) { max($0, $1.stamp) } }

  /// The stamp of a register's value.
  func stamp(of bit: PropertyBit) -> Stamp {
    max(deleted, written(bit))
  }

  /// Whether a register was written and not erased since.
  func isWritten(_ bit: PropertyBit) -> Bool { written(bit) > deleted }

  private func written(_ bit: PropertyBit) -> Stamp {
    if let clock = clocks.first(where: { $0.bit == bit }) { return clock.stamp }
    return isCovered(bit) ? inserted : .zero
  }

  private func isCovered(_ bit: PropertyBit) -> Bool { bit.isInFirstWord && covered & bit.mask != 0 }

  /// The registers that were written and not erased since.
  var writtenBits: [PropertyBit] { PropertyBit.all(in: covered) + clocks.map(\.bit) }

  /// The registers that were written before and are not any more.
  func erasedBits(since before: ObjectRecord) -> [PropertyBit] {
    if clocks.count == before.clocks.count, covered == before.covered { return [] }
    let written = Set(writtenBits)
    return before.writtenBits.filter { !written.contains($0) }
  }

  /// Notes that a register was written apart from the insertion.
  mutating func write(_ bit: PropertyBit, at stamp: Stamp) {
    isChanged = true
    if bit.isInFirstWord { covered &= ~bit.mask }
    if let index = clocks.firstIndex(where: { $0.bit == bit }) {
      clocks[index].stamp = stamp
    } else {
      clocks.append(RegisterClock(bit: bit, stamp: stamp))
    }
  }

  /// Notes an insertion that wrote some registers, as far as it is the latest one.
  mutating func insert(at stamp: Stamp, writing bits: [PropertyBit]) {
    if stamp > inserted {
      for bit in PropertyBit.all(in: covered) { clocks.append(RegisterClock(bit: bit, stamp: inserted)) }
      covered = 0
      inserted = stamp
      isChanged = true
    }
    guard stamp > deleted else { return }
    for bit in bits where stamp > written(bit) {
      if stamp == inserted && bit.isInFirstWord {
        clocks.removeAll { $0.bit == bit }
        covered |= bit.mask
        isChanged = true
      } else {
        write(bit, at: stamp)
      }
    }
  }

  /// Notes a deletion, which also erases registers written before it.
  mutating func delete(at stamp: Stamp) {
    guard stamp > deleted else { return }
    deleted = stamp
    // A set may say any number of deletions that end nothing.
    if clocks.contains(where: { $0.stamp <= stamp }) { clocks.removeAll { $0.stamp <= stamp } }
    if inserted <= stamp { covered = 0 }
    isChanged = true
  }
}

/// The stamp of one register.
struct RegisterClock: Hashable {
  var bit: PropertyBit
  var stamp: Stamp
}
