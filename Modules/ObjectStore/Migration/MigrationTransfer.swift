import TICDSSQLite

/// Copies rows from the old tables into the new ones, value by value within SQLite.
struct MigrationTransfer {
  let mapping: ModelMapping
  let source: StoreSchema
  let target: StoreSchema
  let path: String
  /// Whether there are transformations, so that gaps may be left to them.
  let isCustom: Bool

  /// How many rows there are to be copied.
  func rowCount(_ connection: Connection) throws -> Int {
    try mapping.entities.reduce(0) { sum, entity in
      let table = source.tables[entity.source.index]
      let count = try connection.first(
        "SELECT count(*) FROM \(quote(table.name)) WHERE Z_ENT = ?", .integer(table.number))
      guard case .integer(let count)? = count else { return sum }
      return sum + Int(clamping: count)
    }
  }

  /// Copies the rows of one entity with attributes and to-one relationships. Gives how many there were.
  func copyRows(of entity: ModelMapping.Entity, _ connection: Connection) throws -> Int {
    let old = source.tables[entity.source.index]
    let new = target.tables[entity.target.index]
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    var values = [shifted("Z_PK", by: entity.keyOffset), String(new.number), "Z_OPT"]
    var bound: [AttributeValue] = []
    func add(_ column: String, _ value: String) {
      columns.append(quote(column))
      values.append(value)
    }
    for (index, storage) in new.storage.enumerated() {
      let before = entity.properties[index]
      switch storage {
      case .attribute(let column, _):
        guard let attribute = entity.target.attribute(at: index) else { continue }
        var value = before.flatMap { self.value(of: attribute, from: $0, in: entity) }
        if value == nil || !attribute.isOptional, !attribute.defaultValue.isNull {
          bound.append(Self.stored(attribute.defaultValue, of: attribute))
          value = value.map { "ifnull(\($0), ?\(bound.count))" } ?? "?\(bound.count)"
        }
        if let value { add(column, value) }
      case .toOne(let columns):
        guard let before, case .toOne(let old) = source.tables[entity.source.index].storage[before],
          let relationship = entity.target.relationship(at: index),
          let was = entity.source.relationship(at: before)
        else { continue }
        let reference = reference(key: quote(old.key), entity: old.entity, was, to: relationship)
        add(columns.key, reference.key)
        if let column = columns.entity { add(column, reference.number) }
        if let column = columns.order {
          add(column, old.order.map { "ifnull(\(quote($0)), Z_PK * 1024)" } ?? "Z_PK * 1024")
        }
      case .memory, .inverse, .join: continue
      }
    }
    let statement = try connection.prepare(
      """
      INSERT INTO \(quote(new.name)) (\(columns.joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", ")) FROM \(quote(old.name)) WHERE Z_ENT = \(old.number)
      """)
    for (number, value) in bound.enumerated() { try statement.bind(value, at: number + 1) }
    try statement.run()
    return connection.changes
  }

  /// The SQL expression for an attribute's value; `nil` if the old one does not tell.
  private func value(
    of attribute: AttributeDescription, from index: Int, in entity: ModelMapping.Entity
  ) -> String? {
    guard let old = entity.source.attribute(at: index),
      case .attribute(let column, let type) = source.tables[entity.source.index].storage[index]
    else { return nil }
    var value = quote(column)
    let (wasMarked, isMarked) = (old.isMarkedExternal, attribute.isMarkedExternal)
    if wasMarked, !isMarked { value = "\(MigrationFunctions.inline)(\(value))" }
    guard let converted = AttributeConversion.expression(value, from: type, to: attribute.type) else {
      return nil
    }
    return isMarked && !wasMarked ? "\(MigrationFunctions.marked)(\(converted))" : converted
  }

  private static func stored(
    _ value: AttributeValue, of attribute: AttributeDescription
  ) -> AttributeValue {
    attribute.isMarkedExternal ? ExternalValues.column(value) : value
  }

  // MARK: - References

  /// The new key and the number of the new entity of what a to-one relationship led to.
  private func reference(
    key: String, entity column: String?, _ old: RelationshipDescription, to new: RelationshipDescription
  ) -> (key: String, number: String) {
    let family = moved(from: source.model.entities[old.destinationIndex], to: new.destinationIndex)
    guard let column = column.map({ quote($0) }) else {
      guard let only = family.first(where: { $0.source.index == old.destinationIndex }) else {
        return ("NULL", "NULL")
      }
      let number = target.tables[only.target.index].number
      return (shifted(key, by: only.keyOffset), "CASE WHEN \(key) IS NOT NULL THEN \(number) END")
    }
    return (
      choose(by: column, among: family) { shifted(key, by: $0.keyOffset) },
      choose(by: column, among: family) { String(target.tables[$0.target.index].number) }
    )
  }

  /// The entities of an old destination of which the objects may be on the other side of a new relationship.
  func moved(from old: EntityDescription, to destination: Int) -> [ModelMapping.Entity] {
    old.familyIndices.compactMap { mapping.entity(from: source.model.entities[$0]) }
      .filter { $0.target.isKind(of: target.model.entities[destination]) }
  }

  func choose(
    by column: String, among entities: [ModelMapping.Entity], _ value: (ModelMapping.Entity) -> String
  ) -> String {
    if entities.isEmpty { return "NULL" }
    let cases = entities.map { "WHEN \(source.tables[$0.source.index].number) THEN \(value($0))" }
    return "CASE \(column) \(cases.joined(separator: " ")) END"
  }

  func shifted(_ key: String, by offset: Int64) -> String { offset == 0 ? key : "\(key) + \(offset)" }
}
