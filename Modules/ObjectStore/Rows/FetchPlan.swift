import SQLite

/// How rows of an entity and of those that inherit from it become objects: which columns to select, and which value each is.
final class FetchPlan {
  let entity: EntityDescription
  let table: EntityTable
  /// The columns to select, of a table called `t`: key, entity and version first.
  let columns: String
  /// Index of the entity at the top of the inheritance.
  let rootIndex: Int
  /// The format of the entity's own rows.
  let format: RowFormat
  // For every entity that a row may be of, by index.
  private let formats: [Int: RowFormat]
  // The slab that takes the next row of an entity.
  // No access to it calls out, so none can overlap.
  @exclusivity(unchecked) private var slab: RowSlab
  private var slabs: [Int: RowSlab] = [:]
  private let schema: StoreSchema
  private let objectClass: ManagedObject.Type
  private let scope: InstantiationScope
  // What objects of the entity's own rows are made from, but for the key.
  private let instantiation: Instantiation

  init(entity: EntityDescription, schema: StoreSchema) {
    self.entity = entity
    self.schema = schema
    rootIndex = entity.rootIndex
    table = schema.table(of: entity)
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    var positions: [String: Int] = [:]
    func position(_ column: String) -> Int {
      if let known = positions[column] { return known }
      positions[column] = names.count
      names.append(column)
      return names.count - 1
    }
    var formats: [Int: RowFormat] = [:]
    for index in entity.familyIndices {
      formats[index] = RowFormat(of: schema.model.entities[index], in: schema, position)
    }
    format = formats[entity.index] ?? RowFormat(of: entity, in: schema, position)
    self.formats = formats
    slab = RowSlab(format: format)
    objectClass = schema.model.objectClass(of: entity)
    scope = schema.model.instantiationScope(for: entity)
    instantiation = Instantiation(entity: entity, context: nil, key: 0, state: [])
    columns = names.map { "t.\(quote($0))" }.joined(separator: ", ")
  }

  /// The SQL condition that a row is of this entity or one that inherits from it; `nil` if every row of the table is.
  func entityCondition(alias: String) -> String? { schema.condition(of: entity, alias: alias) }

  /// The entity of the current row; `nil` if it is none that this plan knows.
  @inline(__always)
  func rowEntity(_ statement: Statement) -> EntityDescription? {
    let number = statement.int64(1)
    if number == table.number { return entity }
    return schema.entity(numbered: number).flatMap { formats[$0.index] == nil ? nil : $0 }
  }

  /// An object of the current row, which is of the entity itself, for a context that knows none with its key.
  @inline(__always)
  func make(_ statement: Statement, key: Int64, in context: ManagedObjectContext) -> ManagedObject {
    instantiation.context = context
    instantiation.key = key
    let object = scope.make(objectClass, instantiation)
    let slab = openSlab()
    object.rowIndex = slab.append(statement)
    object.row = slab
    object.version = statement.int64(2)
    return object
  }

  /// Gives an object the values of the current row, which is of the object's entity.
  @inline(__always)
  func fill(_ object: ManagedObject, _ statement: Statement) {
    let slab = object.entity === entity ? self.openSlab() : openSlab(for: object.entity)
    object.rowIndex = slab.append(statement)
    object.row = slab
    object.version = statement.int64(2)
  }

  @inline(__always)
  private func openSlab() -> RowSlab {
    if slab.isFull { slab = RowSlab(format: format) }
    return slab
  }

  private func openSlab(for entity: EntityDescription) -> RowSlab {
    if let open = slabs[entity.index], !open.isFull { return open }
    let slab = RowSlab(format: formats[entity.index] ?? format)
    slabs[entity.index] = slab
    return slab
  }
}
