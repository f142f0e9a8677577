/// Lists that a migration may have filled with what another relationship said, as where one that led to one object leads to many.
///
/// Nobody has recorded these links. Whoever migrates says them, for those who join later have nothing else to know them from.
struct MigratedLinks {
  /// A list, and how far its sources have been looked at.
  struct Scan {
    var entity: EntityNumber
    var bit: PropertyBit
    var position: RowNumber
  }

  private let state: StateTable
  private static let prefix = "migrated."

  init(_ state: StateTable) { self.state = state }

  func note(_ relationships: [AdoptedRelationship]) throws {
    for relationship in relationships where relationship.mayHaveMigratedLinks {
      try write(Scan(entity: relationship.entity, bit: relationship.bit, position: .none))
    }
  }

  /// The lists that have still to be looked at.
  var scans: [Scan] {
    get throws {
      try state.names(prefix: Self.prefix).compactMap { name in
        let numbers = name.text.dropFirst(Self.prefix.count).split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        return Scan(
          entity: EntityNumber(rawValue: numbers[0]), bit: PropertyBit(rawValue: numbers[1]),
          position: RowNumber(rawValue: Int64(bitPattern: try state.integer(name))))
      }
    }
  }

  func write(_ scan: Scan) throws {
    try state.setInteger(name(of: scan), UInt64(bitPattern: scan.position.rawValue))
  }

  func remove(_ scan: Scan) throws { try state.remove(name(of: scan)) }

  private func name(of scan: Scan) -> StateTable.Name {
    StateTable.Name("\(Self.prefix)\(scan.entity.rawValue).\(scan.bit.rawValue)")
  }
}
