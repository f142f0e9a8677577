import TICDSSQLite

/// Derives a model from the tables of a Core Data store that does not keep one.
///
/// Tables tell names without their case, kinds of values, many-to-many relationships, and to-one relationships whose
/// destination has sub-entities or whose members are ordered. Other to-one relationships look like whole numbers; they are
/// recognised where exactly one entity's name fits and every number is a key of it. What belongs to which sub-entity is
/// not told: everything is given to the root.
struct TableModel {
  private struct Column {
    let name: String
    let type: String
  }

  private let connection: Connection
  private var nameByNumber: [Int64: String] = [:]
  private var columns: [String: [Column]] = [:]
  private var declarations: [String: EntityDeclaration] = [:]
  private var order: [String] = []

  static func model(of connection: Connection) throws -> ManagedObjectModel {
    var derivation = TableModel(connection: connection)
    return try derivation.derive()
  }

  private init(connection: Connection) {
    self.connection = connection
  }

  private mutating func derive() throws -> ManagedObjectModel {
    try readTables()
    try readEntities()
    for name in order where declarations[name]?.parent == nil { try readColumns(of: name) }
    for table in columns.keys.sorted() { readJoin(table) }
    for name in order where declarations[name]?.parent == nil { readOwners(of: name) }
    return try ManagedObjectModel(entities: order.compactMap { declarations[$0] })
  }

  private mutating func readTables() throws {
    let listing = try connection.prepare(
      """
      SELECT t.name, c.name, c.type FROM sqlite_master t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND substr(t.name, 1, 1) = 'Z' ORDER BY c.cid
      """)
    while try listing.step() {
      columns[listing.text(0), default: []].append(
        Column(name: listing.text(1), type: listing.text(2).uppercased()))
    }
  }

  private mutating func readEntities() throws {
    var parents: [(name: String, parent: Int64)] = []
    let entities = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    while try entities.step() {
      nameByNumber[entities.int64(0)] = entities.text(1)
      parents.append((entities.text(1), entities.int64(2)))
    }
    for (name, parent) in parents {
      // Persistent history numbers its own entities here; their tables are not a model's.
      guard parent != 0 || columns["Z" + name.uppercased()] != nil else { continue }
      declarations[name] = EntityDeclaration(name, parent: nameByNumber[parent])
      order.append(name)
    }
    order.removeAll { name in
      guard let parent = declarations[name]?.parent, declarations[parent] == nil else { return false }
      declarations[name] = nil
      return true
    }
  }

  private mutating func readColumns(of entity: String) throws {
    let table = "Z" + entity.uppercased()
    let present = columns[table] ?? []
    let names = Set(present.map(\.name))
    for column in present where !["Z_PK", "Z_ENT", "Z_OPT"].contains(column.name) {
      guard column.name.hasPrefix("Z"), !column.name.hasPrefix("Z_FOK_"),
        Self.numbered(column.name, "Z") == nil
      else {
        continue
      }
      let property = column.name.dropFirst().lowercased()
      guard column.type == "INTEGER",
        let destination = try destination(of: column.name, in: table, entityColumns: names)
      else {
        let type = try attributeType(of: column, in: table)
        declarations[entity]?.properties.append(.attribute(AttributeDescription(property, type)))
        continue
      }
      let isOrdered = names.contains("Z_FOK_" + column.name.dropFirst())
      let inverse = isOrdered ? property + "_members" : nil
      declarations[entity]?.properties.append(
        .relationship(.toOne(property, to: destination, inverse: inverse)))
      if let inverse {
        declarations[destination]?.properties.append(
          .relationship(.toMany(inverse, to: entity, inverse: property, isOrdered: true)))
      }
    }
  }

  /// The destination of a to-one relationship, or `nil` if the column seems to hold plain numbers.
  private func destination(
    of column: String, in table: String, entityColumns: Set<String>
  ) throws -> String? {
    let name = String(column.dropFirst())
    for other in entityColumns {
      if let (number, rest) = Self.numbered(other, "Z"), rest == "_" + name { return nameByNumber[number] }
    }
    let candidates = order.filter { entity in
      let title = entity.uppercased()
      return declarations[entity]?.parent == nil && (title.hasSuffix(name) || name.hasSuffix(title))
    }
    guard candidates.count == 1 else { return nil }
    let target = quote("Z" + candidates[0].uppercased())
    guard columns["Z" + candidates[0].uppercased()] != nil else { return nil }
    let found = try connection.first(
      """
      SELECT count(t.\(quote(column))) > 0 AND count(t.\(quote(column))) = count(d.Z_PK)
      FROM \(quote(table)) t LEFT JOIN \(target) d ON d.Z_PK = t.\(quote(column))
      """)
    return found == .integer(1) ? candidates[0] : nil
  }

  private func attributeType(of column: Column, in table: String) throws -> AttributeType {
    switch column.type {
    case "INTEGER": return .integer64
    case "FLOAT": return .double
    case "DECIMAL": return .decimal
    case "TIMESTAMP": return .date
    case "VARCHAR": return .string
    default:
      // The default transformer writes keyed archives; data rarely begins like one.
      let archives = try connection.first(
        """
        SELECT count(*) > 0 AND count(*) = sum(substr(\(quote(column.name)), 1, 8) = CAST('bplist00' AS BLOB))
        FROM \(quote(table)) WHERE \(quote(column.name)) IS NOT NULL
        """)
      return archives == .integer(1) ? .transformable : .binary
    }
  }

  /// A column `Z<n><NAME>` holds the owner in a relationship of entity n to many objects that has no inverse.
  private mutating func readOwners(of entity: String) {
    let present = columns["Z" + entity.uppercased()] ?? []
    for column in present {
      guard let (number, rest) = Self.numbered(column.name, "Z"), !rest.hasPrefix("_"),
        column.type == "INTEGER",
        let owner = nameByNumber[number], let declaration = declarations[owner],
        !declaration.properties.contains(where: { $0.name.uppercased() == rest })
      else { continue }
      let isOrdered = present.contains { $0.name == "Z_FOK_\(number)\(rest)" }
      declarations[owner]?.properties.append(
        .relationship(.toMany(rest.lowercased(), to: entity, isOrdered: isOrdered)))
    }
  }

  /// `Z_<n><NAME>` is named after a relationship of entity n; its columns `Z_<m><NAME>` after the two relationships, each
  /// with the number of its destination.
  private mutating func readJoin(_ table: String) {
    guard let (owner, name) = Self.numbered(table, "Z_"), let entity = nameByNumber[owner] else { return }
    let keys = (columns[table] ?? []).compactMap { Self.numbered($0.name, "Z_") }
    guard keys.count == 2, let position = keys.firstIndex(where: { Self.isName($0.1, name) }) else { return }
    let (target, inverse) = (keys[position], keys[1 - position])
    guard let destination = nameByNumber[target.0], inverse.0 == owner else { return }
    let orders = Set((columns[table] ?? []).map(\.name))
    let forward = name.lowercased()
    let backward = inverse.1.lowercased()
    declarations[entity]?.properties.append(
      .relationship(
        .toMany(
          forward, to: destination, inverse: backward,
          isOrdered: orders.contains("Z_FOK_\(target.0)\(target.1)"))))
    declarations[destination]?.properties.append(
      .relationship(
        .toMany(
          backward, to: entity, inverse: forward, isOrdered: orders.contains("Z_FOK_\(inverse.0)\(inverse.1)")
        )))
  }

  /// Whether a column's name is the relationship's, perhaps with a digit that avoids a clash.
  private static func isName(_ column: String, _ name: String) -> Bool {
    column.hasPrefix(name) && column.dropFirst(name.count).allSatisfy(\.isNumber)
  }

  /// Splits `<prefix><number><rest>`.
  private static func numbered(_ name: String, _ prefix: String) -> (Int64, String)? {
    guard name.hasPrefix(prefix) else { return nil }
    let rest = name.dropFirst(prefix.count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), digits.count < rest.count else { return nil }
    return (number, String(rest.dropFirst(digits.count)))
  }
}
