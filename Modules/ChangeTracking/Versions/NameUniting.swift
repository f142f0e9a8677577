import TICDSSQLite

/// Makes one number of two, in names and cells.
struct NameUniting {
  private let connection: Connection
  /// The records that may show something else.
  private(set) var touched: Set<RecordID> = []
  private(set) var cleared: [RegisterID] = []
  private(set) var surplus: [SurplusRow] = []
  private(set) var erased: [RegisterID] = []

  init(_ connection: Connection) { self.connection = connection }

  mutating func unite(_ union: NameUnion, _ names: NameTable) throws {
    switch union.space {
    case .entities, .entitiesBelow, .ownEntities, .ownProperties:
      try uniteEntities(EntityNumber(rawValue: union.from), into: EntityNumber(rawValue: union.into), names)
    case .properties(let root, _):
      try uniteProperties(
        PropertyBit(rawValue: union.from), into: PropertyBit(rawValue: union.into), below: root, names)
    }
    try names.paths.replace(union.from, by: union.into, in: union.space)
  }

  private mutating func uniteProperties(
    _ from: PropertyBit, into bit: PropertyBit, below root: EntityNumber, _ names: NameTable
  ) throws {
    let mask = from.isInFirstWord ? Int64(bitPattern: from.mask) : 0
    let statement = try connection.prepare(
      """
      SELECT id FROM TICDS_OBJECT o WHERE root = ?1 AND (covered & ?2 OR clocks IS NOT NULL
        OR EXISTS (SELECT 1 FROM TICDS_VALUE WHERE object = o.id AND bit = ?3)
        OR EXISTS (SELECT 1 FROM TICDS_TARGET WHERE object = o.id AND bit = ?3)
        OR EXISTS (SELECT 1 FROM TICDS_LINK WHERE source = o.id AND bit = ?3)
        OR EXISTS (SELECT 1 FROM TICDS_PLACE WHERE source = o.id AND bit = ?3)
        OR EXISTS (SELECT 1 FROM TICDS_CONTRIBUTION WHERE object = o.id AND bit = ?3)) ORDER BY id
      """)
    try statement.bind(Int64(root.rawValue), at: 1)
    try statement.bind(mask, at: 2)
    try statement.bind(Int64(from.rawValue), at: 3)
    var ids: [RecordID] = []
    while try statement.step() { ids.append(RecordID(rawValue: statement.int64(0))) }
    var cells = try CellMove(connection, names)
    for id in ids { try cells.rename([from: bit], of: id) }
    try finish(&cells)
    let family = names.entities.filter { $0.root == root }.map(\.number)
    try LogMove(connection).rename([from: bit], of: Set(family))
    try DerivedMove(connection).rename([from: bit])
    for entity in family {
      try connection.run(
        "DELETE FROM TICDS_MERGE WHERE entity = ? AND bit = ?", .integer(Int64(entity.rawValue)),
        .integer(Int64(from.rawValue)))
    }
    try connection.run(
      "UPDATE TICDS_PROPERTY SET path = x'' WHERE root = ? AND bit = ?", .integer(Int64(root.rawValue)),
      .integer(Int64(from.rawValue)))
  }

  private mutating func uniteEntities(_ from: EntityNumber, into entity: EntityNumber, _ names: NameTable)
    throws
  {
    let (former, root) = (names[from].root, names[entity].root)
    if former != root {
      var cells = try FamilyMoves(connection, names).join(from, to: root)
      try finish(&cells)
      if former == from {
        try connection.run(
          "UPDATE TICDS_PROPERTY SET destination = ? WHERE destination = ?", .integer(Int64(root.rawValue)),
          .integer(Int64(from.rawValue)))
      }
    }
    let statement = try connection.prepare("SELECT id FROM TICDS_OBJECT WHERE entity = ?")
    try statement.bind(Int64(from.rawValue), at: 1)
    while try statement.step() { touched.insert(RecordID(rawValue: statement.int64(0))) }
    try connection.run(
      "UPDATE TICDS_OBJECT SET entity = ? WHERE entity = ?", .integer(Int64(entity.rawValue)),
      .integer(Int64(from.rawValue)))
    try connection.run(
      "UPDATE TICDS_ENTITY SET path = x'' WHERE id = ?", .integer(Int64(from.rawValue)))
  }

  private mutating func finish(_ cells: inout CellMove) throws {
    try cells.finish()
    touched.formUnion(cells.touched)
    cleared += cells.cleared
    surplus += cells.surplus
    erased += cells.erased
  }
}
