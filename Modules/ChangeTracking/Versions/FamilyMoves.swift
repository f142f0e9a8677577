import TICDSSQLite

/// Puts entities below other roots, with their records, properties and what of them is still to be sent.
///
/// Roots are the name spaces of sync IDs and bits.
struct FamilyMoves {
  private let connection: Connection
  private let names: NameTable

  init(_ connection: Connection, _ names: NameTable) {
    self.connection = connection
    self.names = names
  }

  /// One entity that goes from one family to another, or a root that takes along all that is below it.
  private struct Move: Hashable {
    var entity: EntityNumber
    var from: EntityNumber
    var to: EntityNumber
    var isWholeFamily: Bool { entity == from }
  }

  struct Result {
    /// Whether entities left families of which others remain.
    var areFamiliesSplit: Bool
    /// Of each entity that moved, the bits that its properties have got.
    var bits: [EntityNumber: [PropertyBit: PropertyBit]] = [:]
  }

  /// Moves the entities of the local model to the roots that it has for them.
  ///
  /// - Parameters:
  ///   - roots: the names of these roots.
  ///   - frontiers: of each entity that had rows before, as ``MigratedRows`` tells.
  /// - Returns: which entities moved, and where.
  func run(
    _ entities: [String: EntityAdoption.Adopted], roots: Set<String>, _ frontiers: [EntityNumber: RowNumber]
  ) throws -> Result {
    let present = Set(roots.compactMap { entities[$0]?.number })
    let all = entities.values.filter { $0.formerRoot != $0.root }.map {
      Move(entity: $0.number, from: $0.formerRoot, to: $0.root)
    }
    // A root without objects of its own is not among the entities. Where all that was below it goes, all that only others know goes too.
    let moves = Dictionary(grouping: all, by: \.from).flatMap { root, moves in
      let isOneFamily = !present.contains(root) && Set(moves.map(\.to)).count == 1
      return isOneFamily ? [Move(entity: root, from: root, to: moves[0].to)] : moves
    }.sorted { $0.entity < $1.entity }
    var cells = try CellMove(connection, names)
    // Single entities leave before their family goes.
    var result = Result(areFamiliesSplit: moves.contains { !$0.isWholeFamily })
    for move in moves.filter({ !$0.isWholeFamily }) + moves.filter(\.isWholeFamily) {
      let (members, bits) = try run(move, &cells)
      for member in members { result.bits[member] = bits }
    }
    try SurplusRows(connection, AuthorTable(connection: connection)).note(cells.surplus.rows)
    try ErasedRegisters(connection).note(cells.erased)
    // Rows that no set has said must stay beyond the frontier; that others lie beyond it too costs a look at each.
    for (root, members) in Dictionary(grouping: entities.values, by: \.root) {
      guard let frontier = members.compactMap({ frontiers[$0.number] }).min() else { continue }
      try connection.run(
        "UPDATE TICDS_ENTITY SET frontier = ? WHERE id = ?", .integer(frontier.rawValue),
        .integer(Int64(root.rawValue)))
    }
    return result
  }

  /// Puts an entity that only other devices know, with all that is below it, into a family.
  ///
  /// - Parameter surplus: rows that are to go since earlier moves.
  func join(_ entity: EntityNumber, to other: EntityNumber, _ surplus: PendingSurplus) throws -> CellMove {
    var cells = try CellMove(connection, names, surplus: surplus)
    _ = try run(Move(entity: entity, from: names[entity].root, to: other), &cells)
    return cells
  }

  /// - Returns: the entities that moved, and the bits that what they have has got.
  private func run(_ move: Move, _ cells: inout CellMove) throws
    -> (members: [EntityNumber], bits: [PropertyBit: PropertyBit])
  {
    let bits = try bits(of: move)
    let members = move.isWholeFamily ? try members(of: move.from) : [move.entity]
    let statement = try connection.prepare(
      "SELECT id FROM TICDS_OBJECT WHERE root = ?1 AND (?2 OR entity = ?3) ORDER BY id")
    try statement.bind(Int64(move.from.rawValue), at: 1)
    try statement.bind(Int64(move.isWholeFamily ? 1 : 0), at: 2)
    try statement.bind(Int64(move.entity.rawValue), at: 3)
    var ids: [RecordID] = []
    while try statement.step() { ids.append(RecordID(rawValue: statement.int64(0))) }
    for id in ids { try cells.move(id, to: move.to, bits) }
    try cells.finish()
    try LogMove(connection).rename(bits, of: Set(members))
    try DerivedMove(connection).rename(bits)
    for member in members {
      try connection.run(
        "UPDATE TICDS_ENTITY SET root = ? WHERE id = ?", .integer(Int64(move.to.rawValue)),
        .integer(Int64(member.rawValue)))
      try moveMerges(of: member, bits)
    }
    if move.isWholeFamily { try names.paths.moveEntities(below: move.from, to: move.to) }
    return (members, bits)
  }

  /// The entities of a family that have not left it before: what was read of them tells where they were when the moves began.
  private func members(of root: EntityNumber) throws -> [EntityNumber] {
    let statement = try connection.prepare("SELECT id FROM TICDS_ENTITY WHERE root = ? ORDER BY id")
    try statement.bind(Int64(root.rawValue), at: 1)
    var members: [EntityNumber] = []
    while try statement.step() { members.append(EntityNumber(rawValue: Int(clamping: statement.int64(0)))) }
    return members
  }

  /// Of each bit of the family that is left, the bit that it has in the other.
  private func bits(of move: Move) throws -> [PropertyBit: PropertyBit] {
    var bits: [PropertyBit: PropertyBit] = [:]
    for kind in Int64(0)...2 {
      let known = try names.paths.all(in: .properties(root: move.from, kind: kind))
      let space = KnownPaths.Space.properties(root: move.to, kind: kind)
      for (path, number) in known.sorted(by: { $0.key.names.count > $1.key.names.count }) {
        let bit = PropertyBit(rawValue: number)
        if bits[bit] == nil, let same = try names.standing(path, in: space) {
          bits[bit] = PropertyBit(rawValue: same)
        }
      }
      for (path, number) in known.sorted(by: { $0.value < $1.value }) {
        let bit = PropertyBit(rawValue: number)
        let property = try names[move.from].property(bit)
        if bits[bit] == nil {
          bits[bit] = try names.add(
            property.path, property.kind, below: move.to,
            destination: property.destination)
        }
        if let other = bits[bit] { try names.paths.insert(path, other.rawValue, in: space) }
      }
    }
    return bits
  }

  private func moveMerges(of entity: EntityNumber, _ bits: [PropertyBit: PropertyBit]) throws {
    let statement = try connection.prepare("SELECT bit, merge FROM TICDS_MERGE WHERE entity = ?")
    try statement.bind(Int64(entity.rawValue), at: 1)
    var merges: [(PropertyBit, String)] = []
    while try statement.step() {
      merges.append((PropertyBit(rawValue: Int(clamping: statement.int64(0))), statement.text(1)))
    }
    try connection.run("DELETE FROM TICDS_MERGE WHERE entity = ?", .integer(Int64(entity.rawValue)))
    for (bit, merge) in merges {
      try connection.run(
        "INSERT OR REPLACE INTO TICDS_MERGE VALUES (?, ?, ?)", .integer(Int64(entity.rawValue)),
        .integer(Int64((bits[bit] ?? bit).rawValue)), .text(merge))
    }
  }
}
