/// What sets were made of, as far as rows may show something else because of it.
///
/// Nothing of it is shown before the log is empty: what a later part of the log says is in no cell yet, and a row that was brought up to
/// date with the cells before would be taken for what the user wrote.
struct UnshownChanges {
  /// Objects that were inserted and for which something may be waiting.
  var inserted: [RecordID] = []
  /// One-to-one relationships that the user wrote, perhaps without having seen what others wrote.
  var claims: [RegisterID] = []
  /// Properties that somebody contributed to.
  var contributed: Set<RegisterID> = []
  /// Whether an exclusive relationship may have left its target.
  var mayFreeClaims = false
  /// Whether a value that must be unique may have left its row.
  var mayFreeValues = false

  var isEmpty: Bool {
    inserted.isEmpty && claims.isEmpty && contributed.isEmpty && !mayFreeClaims && !mayFreeValues
  }

  mutating func formUnion(_ other: UnshownChanges) {
    inserted += other.inserted
    claims += other.claims
    contributed.formUnion(other.contributed)
    mayFreeClaims = mayFreeClaims || other.mayFreeClaims
    mayFreeValues = mayFreeValues || other.mayFreeValues
  }
}

/// What the transactions that made sets of a part of the log have left for the one that makes sets of the rest, which may be
/// another process's. Lies among the small durable values, one for each of these transactions.
struct UnshownTable {
  private static let prefix = "unshown."

  private let state: StateTable

  init(_ state: StateTable) { self.state = state }

  var isEmpty: Bool { get throws { try state.names(prefix: Self.prefix).isEmpty } }

  func append(_ changes: UnshownChanges) throws {
    if changes.isEmpty { return }
    let number = try state.names(prefix: Self.prefix).count
    try state.set(StateTable.Name(Self.prefix + String(number)), .blob(changes.bytes))
  }

  /// All that is left.
  func take() throws -> UnshownChanges {
    var all = UnshownChanges()
    for name in try state.names(prefix: Self.prefix) {
      if case .blob(let bytes)? = try state.value(name) { try all.formUnion(UnshownChanges(bytes)) }
      try state.remove(name)
    }
    return all
  }
}

extension UnshownChanges {
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint((mayFreeClaims ? 1 : 0) | (mayFreeValues ? 2 : 0))
    bytes.appendVarint(UInt64(inserted.count))
    for object in inserted { bytes.appendZigzag(object.rawValue) }
    for registers in [claims, contributed.sorted()] {
      bytes.appendVarint(UInt64(registers.count))
      for register in registers {
        bytes.appendZigzag(register.object.rawValue)
        bytes.appendVarint(UInt64(register.bit.rawValue))
      }
    }
    return bytes
  }

  fileprivate init(_ bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let flags = try reader.varint()
      var changes = UnshownChanges()
      changes.mayFreeClaims = flags & 1 != 0
      changes.mayFreeValues = flags & 2 != 0
      for _ in 0..<(try reader.count(of: "objects", limit: bytes.count)) {
        changes.inserted.append(RecordID(rawValue: try reader.zigzag()))
      }
      changes.claims = try Self.registers(&reader, limit: bytes.count)
      changes.contributed = Set(try Self.registers(&reader, limit: bytes.count))
      return changes
    }
  }

  private static func registers(_ reader: inout ByteReader, limit: Int) throws -> [RegisterID] {
    var registers: [RegisterID] = []
    for _ in 0..<(try reader.count(of: "registers", limit: limit)) {
      let object = RecordID(rawValue: try reader.zigzag())
      let bit = PropertyBit(rawValue: Int(clamping: try reader.varint()))
      registers.append(RegisterID(object: object, bit: bit))
    }
    return registers
  }
}
