import TICDSSQLite

/// Reads the rows of one entity of a damaged store as objects, each column by itself where the whole row cannot be read.
final class TolerantRows {
  private let entity: EntityDescription
  private let schema: StoreSchema
  private let table: TolerantTable
  private let connection: Connection
  private let links: TolerantLinks
  private let external: ExternalValues
  private let missing: PropertyMask
  private let columns: [String]
  private let sources: [RowSource]
  private var whole: Statement?
  private var single: [Int: Statement] = [:]

  /// - Parameter missing: The properties that the file lacks.
  init(
    _ entity: EntityDescription, in table: TolerantTable, schema: StoreSchema, missing: PropertyMask,
    links: TolerantLinks, connection: Connection, external: ExternalValues
  ) {
    (self.entity, self.table, self.schema, self.missing) = (entity, table, schema, missing)
    (self.links, self.connection, self.external) = (links, connection, external)
    var columns: [String] = []
    sources = RowSource.all(of: entity, in: schema, adding: &columns)
    self.columns = columns
  }

  /// The object of a row; properties that cannot be read are in ``StoredObject/unread``.
  ///
  /// - Parameter note: Is told of each property that is wrong, and how.
  /// - Throws: ``SQLiteError`` for what is no damage.
  func object(_ row: TolerantRow, _ note: (_ property: Int, _ reason: String) -> Void) throws -> StoredObject
  {
    var object = StoredObject(
      reference: .init(entity: entity.index, key: row.key),
      attributes: Array(repeating: .null, count: entity.attributeCount),
      relationships: Array(repeating: [], count: entity.properties.count - entity.attributeCount))
    object.unread = missing
    defer {
      whole?.reset()
      for statement in single.values { statement.reset() }
    }
    let isWhole = try findWhole(row.rowID)
    for (index, source) in sources.enumerated() {
      do {
        switch source {
        case .nowhere: break
        case .attribute(let column, let type, let isExternal):
          let (statement, position) = try find(column, of: row.rowID, isWhole)
          guard var value = statement.fittingValue(position, as: type) else {
            object.unread.insert(index)
            note(index, "values of another type than the model says")
            continue
          }
          if type == .string || type == .uri, value != .null, !statement.isUTF8(position) {
            note(index, "texts that are not UTF-8, shown with replacement characters")
          }
          if isExternal, !external.isWellFormed(value) {
            object.unread.insert(index)
            note(index, "values that are neither in the store nor in a file")
            continue
          }
          if isExternal, !external.resolve(&value) {
            object.missingFiles.insert(index)
            note(index, "values in files that are missing or cannot be read")
          }
          object.attributes[index] = value
        case .target(let column, let destination, let entityColumn):
          let (statement, position) = try find(column, of: row.rowID, isWhole)
          if statement.isNull(position) { continue }
          guard case .integer(let key) = statement.value(position) else {
            object.unread.insert(index)
            note(index, "links that are no keys")
            continue
          }
          var target = try links.entity(of: key, in: schema.tables[destination].name)
          if target == nil { note(index, "links to objects that are missing or cannot be read") }
          if target == nil, let entityColumn {
            let (statement, position) = try find(entityColumn, of: row.rowID, isWhole)
            target = schema.entity(numbered: statement.int64(position))?.index
          }
          object.relationships[index - entity.attributeCount] = [
            .init(entity: target ?? destination, key: key)
          ]
        }
      } catch let error as SQLiteError where error.isDamage {
        object.unread.insert(index)
        note(index, "damaged values")
      }
    }
    try readMembers(of: row.key, into: &object, note)
    return object
  }

  private func readMembers(
    of key: Int64, into object: inout StoredObject, _ note: (_ property: Int, _ reason: String) -> Void
  ) throws {
    for index in entity.slotCount..<entity.properties.count {
      guard let members = try links.members(of: key, entity, at: index) else { continue }
      var references: [StoredObject.Reference] = []
      for key in members.keys {
        if let entity = try links.entity(of: key, in: members.table) {
          references.append(.init(entity: entity, key: key))
        } else {
          note(index, "links to objects that are missing or cannot be read")
        }
      }
      let isOrdered = entity.relationship(at: index)?.isOrdered == true
      object.relationships[index - entity.attributeCount] = isOrdered ? references : references.sorted()
    }
  }

  /// Looks the row up; `false` if not all of it can be read.
  private func findWhole(_ rowID: Int64) throws -> Bool {
    do {
      let statement = try whole ?? table.lookUp(columns, connection)
      whole = statement
      statement.reset()
      try statement.bind(rowID, at: 1)
      return try statement.step()
    } catch let error as SQLiteError where error.isDamage {
      return false
    }
  }

  /// A statement at the row, and the position of a column in it.
  private func find(
    _ column: Int, of rowID: Int64, _ isWhole: Bool
  ) throws -> (Statement, Int) {
    if isWhole, let whole { return (whole, column + 1) }
    let statement = try single[column] ?? table.lookUp([columns[column]], connection)
    single[column] = statement
    statement.reset()
    try statement.bind(rowID, at: 1)
    guard try statement.step() else { throw SQLiteError.damage(connection) }
    return (statement, 1)
  }
}
