/// The cells of one object: its existence and the clock of each register.
///
/// A register's stamp is the greatest of what is noted for it in ``clocks``, the insertion (if the insertion wrote it:
/// ``covered``) and the deletion, which erases all registers. The object lives if its insertion is later than its deletion.
struct ObjectRecord {
  /// Number of the record.
  let id: Int64
  let syncID: SyncID
  /// Number of the root entity.
  let root: Int
  /// Number of the entity; 0 as long as the object is only known as a target.
  var entity = 0
  /// The row that shows the object; `nil` if it does not live or the local model does not know its entity.
  var row: Int64?
  var inserted = Stamp.zero
  var deleted = Stamp.zero
  /// Bit n: register n was written by the insertion. Registers above 63 always stand in ``clocks``.
  var covered: UInt64 = 0
  /// Registers written later than the insertion, or not by it.
  var clocks: [RegisterClock] = []

  var isStored = false
  var isChanged = false
  /// Whether links or parked registers may mention the object. Without it, showing the object needs no search.
  var hasTraces = false

  init(id: Int64, syncID: SyncID, root: Int) {
    self.id = id
    self.syncID = syncID
    self.root = root
  }

  var lives: Bool { inserted > deleted }

  /// The stamp of a register's value.
  func stamp(of bit: Int) -> Stamp {
    max(deleted, written(bit))
  }

  private func written(_ bit: Int) -> Stamp {
    if let clock = clocks.first(where: { $0.bit == bit }) { return clock.stamp }
    return bit < 64 && covered & (1 << UInt64(bit)) != 0 ? inserted : .zero
  }

  /// Notes that a register was written apart from the insertion.
  mutating func write(_ bit: Int, at stamp: Stamp) {
    isChanged = true
    if bit < 64 { covered &= ~(1 << UInt64(bit)) }
    if let index = clocks.firstIndex(where: { $0.bit == bit }) {
      clocks[index].stamp = stamp
    } else {
      clocks.append(RegisterClock(bit: bit, stamp: stamp))
    }
  }

  /// Notes an insertion that wrote the registers in `bits`, as far as it is the latest one.
  mutating func insert(at stamp: Stamp, writing bits: [Int]) {
    if stamp > inserted {
      for bit in 0..<64 where covered & (1 << UInt64(bit)) != 0 {
        clocks.append(RegisterClock(bit: bit, stamp: inserted))
      }
      covered = 0
      inserted = stamp
      isChanged = true
    }
    guard stamp > deleted else { return }
    for bit in bits where stamp > written(bit) {
      if stamp == inserted && bit < 64 {
        clocks.removeAll { $0.bit == bit }
        covered |= 1 << UInt64(bit)
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
    clocks.removeAll { $0.stamp <= stamp }
    if inserted <= stamp { covered = 0 }
    isChanged = true
  }
}

/// The stamp of one register.
struct RegisterClock: Hashable {
  var bit: Int
  var stamp: Stamp
}
