import TICDSSQLite

/// Lets a transformation go through the objects of one entity.
struct ObjectTransformation {
  let mapping: ModelMapping
  let source: StoreSchema
  let target: StoreSchema
  let path: String

  func run(_ transformer: Migration.Transformer, on connection: Connection) throws {
    guard let entity = target.model.entity(named: transformer.entity) else {
      throw StoreError(
        .cannotInfer(["\(transformer.entity): a transformation names it, but it is not in the model"]),
        path: path)
    }
    let rows = MigratingRows(source: source, target: target, connection: connection)
    for index in entity.familyIndices {
      guard let mapped = mapping.entity(to: target.model.entities[index]) else { continue }
      let table = source.tables[mapped.source.index]
      let keys = try connection.prepare(
        "SELECT Z_PK FROM \(quote(table.name)) WHERE Z_ENT = \(table.number) ORDER BY Z_PK")
      while try keys.step() {
        try Task.checkCancellation()
        let key = keys.int64(0)
        let object = MigratingObject(
          rows: rows, entity: mapped.target, key: key + mapped.keyOffset,
          old: MigratingObject.Earlier(rows: rows, entity: mapped.source, key: key))
        try transformer.body(object)
        try object.write()
      }
    }
  }
}

/// What all objects of one transformation read and write with.
final class MigratingRows {
  let source: StoreSchema
  let reader: RowEditor
  let writer: RowEditor
  var target: StoreSchema { writer.schema }

  init(source: StoreSchema, target: StoreSchema, connection: Connection) {
    self.source = source
    reader = RowEditor(schema: source, connection: connection)
    writer = RowEditor(schema: target, connection: connection)
  }
}
