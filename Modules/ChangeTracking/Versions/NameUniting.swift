import TICDSSQLite

/// Makes one number of two, in names and cells.
struct NameUniting {
  private let connection: Connection
  private let reader: RegisterReader
  /// The records that may show something else.
  private(set) var touched: Set<RecordID> = []
  private(set) var cleared: [RegisterID] = []
  private(set) var surplus = PendingSurplus()
  private(set) var erased: [RegisterID] = []

  /// - Parameter reader: of the transaction in which the names turned out to be one.
  init(_ connection: Connection, _ reader: RegisterReader) {
    self.connection = connection
    self.reader = reader
  }

  /// Unites what is known to be one, as much of it as can be at once, so that what it costs does not grow with each name.
  ///
  /// Where an entity goes from one family to another the rest waits until the names have been read again.
  ///
  /// - Parameter unions: ``NameTable/relatives()``, not empty.
  mutating func unite(_ unions: [NameUnion], _ names: NameTable) throws {
    var members: [NameUnion] = []
    var properties: [EntityNumber: [NameUnion]] = [:]
    for union in unions {
      switch union.space {
      case .properties(let root, _): properties[root, default: []].append(union)
      case .entities, .entitiesBelow, .ownEntities, .ownProperties:
        let (from, into) = (EntityNumber(rawValue: union.from), EntityNumber(rawValue: union.into))
        if names[from].root == names[into].root {
          members.append(union)
          continue
        }
        try uniteEntities(members, names)
        try join(from, to: into, names)
        return try uniteEntities([union], names)
      }
    }
    try uniteEntities(members, names)
    for (root, unions) in properties.sorted(by: { $0.key < $1.key }) {
      try uniteProperties(unions, below: root, names)
    }
  }

  // MARK: Properties

  private mutating func uniteProperties(_ unions: [NameUnion], below root: EntityNumber, _ names: NameTable)
    throws
  {
    let bits = Dictionary(
      unions.map { (PropertyBit(rawValue: $0.from), PropertyBit(rawValue: $0.into)) },
      uniquingKeysWith: { first, _ in first })
    let reader = reader
    var cells = try CellMove(connection, names, surplus: surplus) { id, bit in
      try reader.content(of: reader.cells.objects[id], bit)
    }
    for id in try objects(with: Set(bits.keys), below: root) { try cells.rename(bits, of: id) }
    try finish(&cells)
    let family = names.entities.filter { $0.root == root }.map(\.number)
    try LogMove(connection).rename(bits, of: Set(family))
    try DerivedMove(connection).rename(bits)
    for union in unions {
      for entity in family {
        try connection.run(
          "DELETE FROM TICDS_MERGE WHERE entity = ? AND bit = ?", .integer(Int64(entity.rawValue)),
          .integer(Int64(union.from)))
      }
      try connection.run(
        "UPDATE TICDS_PROPERTY SET path = x'' WHERE root = ? AND bit = ?", .integer(Int64(root.rawValue)),
        .integer(Int64(union.from)))
    }
    try replacePaths(unions, names)
  }

  /// The objects of a family that may have cells with some bits.
  private func objects(with bits: Set<PropertyBit>, below root: EntityNumber) throws -> [RecordID] {
    let mask = bits.filter(\.isInFirstWord).reduce(0) { $0 | $1.mask }
    let list = bits.map(\.rawValue).sorted().map(String.init).joined(separator: ", ")
    let statement = try connection.prepare(
      """
      SELECT id FROM TICDS_OBJECT o WHERE root = ?1 AND (covered & ?2 OR clocks IS NOT NULL
        OR EXISTS (SELECT 1 FROM TICDS_VALUE WHERE object = o.id AND bit IN (\(list)))
        OR EXISTS (SELECT 1 FROM TICDS_TARGET WHERE object = o.id AND bit IN (\(list)))
        OR EXISTS (SELECT 1 FROM TICDS_LINK WHERE source = o.id AND bit IN (\(list)))
        OR EXISTS (SELECT 1 FROM TICDS_PLACE WHERE source = o.id AND bit IN (\(list)))
        OR EXISTS (SELECT 1 FROM TICDS_CONTRIBUTION WHERE object = o.id AND bit IN (\(list)))) ORDER BY id
      """)
    try statement.bind(Int64(root.rawValue), at: 1)
    try statement.bind(Int64(bitPattern: mask), at: 2)
    var ids: [RecordID] = []
    while try statement.step() { ids.append(RecordID(rawValue: statement.int64(0))) }
    return ids
  }

  // MARK: Entities

  /// Puts an entity into the family of another one.
  private mutating func join(_ from: EntityNumber, to entity: EntityNumber, _ names: NameTable) throws {
    let (former, root) = (names[from].root, names[entity].root)
    var cells = try FamilyMoves(connection, names).join(from, to: root, surplus)
    try finish(&cells)
    if former == from {
      try connection.run(
        "UPDATE TICDS_PROPERTY SET destination = ? WHERE destination = ?", .integer(Int64(root.rawValue)),
        .integer(Int64(from.rawValue)))
    }
  }

  /// Makes one of entities that are of one family by now.
  private mutating func uniteEntities(_ unions: [NameUnion], _ names: NameTable) throws {
    if unions.isEmpty { return }
    let numbers = Dictionary(
      unions.map { (Int64($0.from), Int64($0.into)) }, uniquingKeysWith: { first, _ in first })
    let list = numbers.keys.sorted().map(String.init).joined(separator: ", ")
    let statement = try connection.prepare("SELECT id, entity FROM TICDS_OBJECT WHERE entity IN (\(list))")
    var moved: [(id: RecordID, entity: Int64)] = []
    while try statement.step() {
      guard let entity = numbers[statement.int64(1)] else { continue }
      moved.append((RecordID(rawValue: statement.int64(0)), entity))
    }
    for (id, entity) in moved {
      touched.insert(id)
      try connection.run(
        "UPDATE TICDS_OBJECT SET entity = ? WHERE id = ?", .integer(entity), .integer(id.rawValue))
    }
    for union in unions {
      try connection.run("UPDATE TICDS_ENTITY SET path = x'' WHERE id = ?", .integer(Int64(union.from)))
    }
    try replacePaths(unions, names)
  }

  private func replacePaths(_ unions: [NameUnion], _ names: NameTable) throws {
    for (space, unions) in Dictionary(grouping: unions, by: \.space) {
      let numbers = Dictionary(
        unions.map { ($0.from, $0.into) }, uniquingKeysWith: { first, _ in first })
      try names.paths.replace(numbers, in: space)
    }
  }

  private mutating func finish(_ cells: inout CellMove) throws {
    try cells.finish()
    touched.formUnion(cells.touched)
    cleared += cells.cleared
    surplus = cells.surplus
    erased += cells.erased
  }
}
