import Foundation
import TICDSSQLite

/// Writes a whole new SQLite store.
///
/// The store is made under another name and moved into place when it is complete, so no reader ever sees half of it. Its
/// journal is closed: the file is complete alone, and Core Data turns to a write-ahead log when it opens it.
struct StoreWriter {
  /// Distance between the places of neighbours in an ordered relationship, as Core Data leaves it.
  private static let orderSpacing: Int64 = 1024

  let schema: StoreSchema
  let metadata: StoreMetadata
  /// Statements to run when the tables are made, for bookkeeping of the caller's.
  var addition: (Connection) throws -> Void = { _ in }

  /// - Throws: ``StoreError``, or what the source throws.
  func write(_ source: some StoredObjectSource, to path: String) throws {
    let external = ExternalValues(storePath: path)
    var files: [String] = []
    do {
      try WholeFile.make(path) { temporary in
        // What ends on the way leaves no files among those of the store that this becomes.
        let own = ExternalValues(storePath: temporary)
        try fill(temporary, from: source) { bytes in try own.column(bytes) { files.append($0) } }
        try own.moveFiles(to: external)
      }
    } catch {
      external.remove(files)
      if !files.isEmpty { external.removeEmptyFolders() }
      if let error = error as? SQLiteError { throw StoreError(.database(error.naming(path)), path: path) }
      throw error
    }
  }

  private func fill(
    _ path: String, from source: some StoredObjectSource, externally column: ([UInt8]) throws -> [UInt8]
  ) throws {
    let connection = try Connection(path: path, options: .init(access: .create))
    try connection.execute(script: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = DELETE")
    try connection.transaction {
      try StoreCreation(schema: schema).run(on: connection, metadata: metadata)
      try addition(connection)
      let lastKeys = try insertRows(source, connection, column)
      try insertLinks(source, connection)
      _ = try StoreCreation(schema: schema).addTriggers(to: connection)
      for (table, key) in lastKeys {
        try connection.run(
          "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?) WHERE Z_ENT = ?", .integer(key), .integer(table))
      }
    }
  }

  /// Writes attributes and to-one relationships; returns the last key of every table by its root's number.
  private func insertRows(
    _ source: some StoredObjectSource, _ connection: Connection, _ column: ([UInt8]) throws -> [UInt8]
  ) throws -> [Int64: Int64] {
    var lastKeys: [Int64: Int64] = [:]
    var writers: [Int: RowWriter] = [:]
    try source.forEachObject(of: nil) { object in
      let entity = schema.model.entities[object.reference.entity]
      let writer =
        try writers[entity.index] ?? RowWriter(entity: entity, schema: schema, connection: connection)
      writers[entity.index] = writer
      var values = ContiguousArray<AttributeValue>(repeating: .null, count: entity.valueCount)
      for (index, value) in object.attributes.enumerated() {
        let isExternal = entity.attribute(at: index)?.isMarkedExternal == true
        if isExternal, !object.missingFiles.contains(index), case .data(let bytes) = value {
          values[index] = .data(try column(bytes))
        } else {
          values[index] = value
        }
      }
      for index in entity.attributeCount..<entity.slotCount {
        guard let target = targets(of: object, entity, at: index).first else { continue }
        values[index] = .reference(entity: Int32(target.entity), key: target.key)
      }
      try writer.insert(key: object.reference.key, values: values)
      let root = schema.table(of: entity).rootNumber
      lastKeys[root] = max(lastKeys[root] ?? 0, object.reference.key)
    }
    return lastKeys
  }

  /// The targets that tables can keep: those in the table that the relationship leads to. ``StoreFile/losses(copyingAs:)`` tells of others.
  private func targets(
    of object: StoredObject, _ entity: EntityDescription, at index: Int
  ) -> [StoredObject.Reference] {
    let targets = object.relationships[index - entity.attributeCount]
    guard let relationship = entity.relationship(at: index) else { return [] }
    let destination = schema.model.entities[relationship.destinationIndex]
    return targets.filter { schema.model.entities[$0.entity].isKind(of: destination) }
  }

  /// Writes the tables of many-to-many relationships, and the places in ordered ones.
  private func insertLinks(_ source: some StoredObjectSource, _ connection: Connection) throws {
    try source.forEachObject(of: nil) { object in
      let entity = schema.model.entities[object.reference.entity]
      let table = schema.table(of: entity)
      for index in entity.slotCount..<entity.properties.count {
        let members = targets(of: object, entity, at: index)
        guard !members.isEmpty, let relationship = entity.relationship(at: index) else { continue }
        switch table.storage[index] {
        case .inverse(let destination, let property) where relationship.isOrdered:
          guard case .toOne(let columns) = schema.tables[destination].storage[property],
            let order = columns.order
          else { continue }
          let sql = "UPDATE \(quote(schema.tables[destination].name)) SET \(quote(order)) = ? WHERE Z_PK = ?"
          for (place, member) in members.enumerated() {
            try connection.run(sql, .integer(Int64(place + 1) * Self.orderSpacing), .integer(member.key))
          }
        case .join(let side): try link(object.reference.key, members, side, connection)
        case .memory, .attribute, .toOne, .inverse: continue
        }
      }
    }
  }

  /// Both sides of a relationship give the same pairs; each adds its own order to them.
  private func link(
    _ key: Int64, _ members: [StoredObject.Reference], _ side: JoinSide, _ connection: Connection
  ) throws {
    let own = quote(side.ownColumn)
    let member = quote(side.memberColumn)
    let table = quote(side.table.name)
    if side.table.isInTarget {
      let statement = try connection.cached(side.table.insertion)
      for (place, target) in members.enumerated() {
        try statement.bind(key, at: 1)
        try statement.bind(target.key, at: 2)
        if side.orderColumn != nil { try statement.bind(Int64(place + 1) * Self.orderSpacing, at: 3) }
        try statement.run()
      }
    } else if let order = side.orderColumn.map({ quote($0) }) {
      let sql = """
        INSERT INTO \(table) (\(own), \(member), \(order)) VALUES (?, ?, ?)
        ON CONFLICT (\(own), \(member)) DO UPDATE SET \(order) = excluded.\(order)
        """
      for (place, target) in members.enumerated() {
        try connection.run(
          sql, .integer(key), .integer(target.key), .integer(Int64(place + 1) * Self.orderSpacing))
      }
    } else {
      let sql = "INSERT OR IGNORE INTO \(table) (\(own), \(member)) VALUES (?, ?)"
      for target in members { try connection.run(sql, .integer(key), .integer(target.key)) }
    }
  }
}
