import TICDSSQLite

/// Registers that rows still show though they are erased: of two objects that became one when their entities got one root, the one was
/// deleted after what was written to the other. Their links, too, are in effect or not by what both have. Rows follow once somebody can
/// write them.
struct ErasedRegisters {
  private let state: StateTable
  private static let prefix = "erased."

  init(_ connection: Connection) { state = StateTable(connection) }

  func note(_ registers: [RegisterID]) throws {
    for register in registers {
      try state.insert(
        StateTable.Name("\(Self.prefix)\(register.object.rawValue).\(register.bit.rawValue)"))
    }
  }

  func blank(_ showing: Showing) throws {
    for name in try state.names(prefix: Self.prefix) {
      if let register = Self.register(name) { try showing.blankErased(register) }
      try state.remove(name)
    }
  }

  private static func register(_ name: StateTable.Name) -> RegisterID? {
    let numbers = name.text.dropFirst(prefix.count).split(separator: ".").compactMap { Int64($0) }
    guard numbers.count == 2 else { return nil }
    return RegisterID(
      object: RecordID(rawValue: numbers[0]), bit: PropertyBit(rawValue: Int(clamping: numbers[1])))
  }
}
