import TICDSSQLite

/// How rows of an entity and of those that inherit from it become objects: which columns to select, and which value each is.
final class FetchPlan {
  let entity: EntityDescription
  let table: EntityTable
  /// The columns to select, of a table called `t`: key, version, and entity if it is not the same in all rows, come first.
  let columns: String
  /// How many they are.
  let columnCount: Int
  /// The format of the entity's own rows.
  let format: RowFormat
  // For every entity that a row may be of, by index.
  private let formats: [Int: RowFormat]
  private let schema: StoreSchema
  private let objectClass: ManagedObject.Type
  private let scope: InstantiationScope
  private var scopes: [Int: InstantiationScope] = [:]
  private let ownEntity: Unmanaged<EntityDescription>
  // Number of the entity, as rows give it if those of others are in the table too.
  private let number: Int64
  private let givesEntity: Bool
  // The slabs that take the next rows: of the entity itself, and of those that inherit from it.
  // No access to what a plan stores calls out, so none can overlap.
  private var slab: RowSlab
  @exclusivity(unchecked) private var openSlab: Unmanaged<RowSlab>
  private var slabs: [Int: RowSlab] = [:]
  /// The row that was received last.
  @exclusivity(unchecked) private(set) var received = Received()

  /// What there is to know of a row. Counts no references: the plan holds on to the entity and the slab.
  struct Received {
    var key: Int64 = 0
    var version: Int64 = 0
    /// Nil if it is none that the plan knows.
    var entity: Unmanaged<EntityDescription>?
    /// The values; nil if the object in memory needs none.
    var slab: Unmanaged<RowSlab>?
    /// The place in the slab.
    var row: Int32 = 0

    var hasValues: Bool { slab != nil }
  }

  init(entity: EntityDescription, schema: StoreSchema) {
    self.entity = entity
    self.schema = schema
    table = schema.table(of: entity)
    number = table.number
    givesEntity = table.isShared
    var names = ["Z_PK", "Z_OPT"] + (table.isShared ? ["Z_ENT"] : [])
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
    openSlab = .passUnretained(slab)
    ownEntity = .passUnretained(entity)
    objectClass = schema.model.objectClass(of: entity)
    scope = schema.model.instantiationScope(for: entity)
    columns = names.map { "t.\(quote($0))" }.joined(separator: ", ")
    columnCount = names.count
  }

  /// The SQL condition that a row is of this entity or one that inherits from it; `nil` if every row of the table is.
  func entityCondition(alias: String) -> String? { schema.condition(of: entity, alias: alias) }

  /// Whether the columns are few enough for ``RowPacker``: SQLite admits 127 arguments unless it was made to admit less.
  var canPack: Bool { columnCount <= 100 }

  /// What to select of a table called `t`: the columns, or one call of ``RowPacker`` with all of them.
  ///
  /// Sorted rows are not to be packed, for SQLite would pack them all before it sorts and limits.
  func selection(packed: Bool) -> String { packed ? "\(RowPacker.name)(\(columns))" : columns }

  /// Takes a row that has the plan's columns, and packs its values unless the object in memory has them already.
  func receive(_ row: BorrowedRow, _ objects: KeyTable) {
    received.entity = nil
    received.slab = nil
    if row.count < columnCount { return }
    let key = row[0].int64
    let number = givesEntity ? row[2].int64 : self.number
    if key <= 0 { return }
    received.key = key
    received.version = row[1].int64
    if number == self.number {
      received.entity = ownEntity
      if let known = objects.reference(key), !needsValues(known) { return }
      if openSlab._withUnsafeGuaranteedRef({ $0.isFull }) { replaceSlab() }
      received.row = openSlab._withUnsafeGuaranteedRef { $0.append(row) }
      received.slab = openSlab
    } else if let entity = inheriting(number) {
      received.entity = .passUnretained(entity)
      if let known = objects.reference(key), !needsValues(known) { return }
      let slab = openSlab(for: entity)
      received.row = slab.append(row)
      received.slab = .passUnretained(slab)
    }
  }

  /// Whether a row that has the plan's columns is of the entity itself.
  func isOwn(_ row: BorrowedRow) -> Bool { !givesEntity || row[2].int64 == number }

  private func inheriting(_ number: Int64) -> EntityDescription? {
    schema.entity(numbered: number).flatMap { formats[$0.index] == nil ? nil : $0 }
  }

  /// Whether an object is a fault, holds an older version without changes, or was taken for deleted until its row came back.
  @inline(__always)
  private func needsValues(_ object: Unmanaged<ManagedObject>) -> Bool {
    object._withUnsafeGuaranteedRef {
      $0.isFault || $0.isGone || (!$0.hasChanges && $0.version != received.version)
    }
  }

  /// Makes an object of the row that was received last. The table knows none with its key.
  @inline(__always)
  func make(in table: KeyTable) -> ManagedObject {
    // Taken before the class's initialiser runs, which may fetch.
    let received = received
    let slab = received.slab
    slab?._withUnsafeGuaranteedRef { $0.enter() }
    let entity = received.entity ?? ownEntity
    let instantiation = Instantiation(
      entity: entity, table: .passUnretained(table), key: received.key,
      state: slab == nil ? .fault : [])
    let object =
      entity.toOpaque() == ownEntity.toOpaque()
      ? scope.make(objectClass, instantiation)
      : makeInheriting(entity.takeUnretainedValue(), instantiation)
    table.insert(object, for: received.key)
    object.slab = slab
    object.rowIndex = received.row
    object.version = received.version
    if slab != nil { object.awakeFromFetch() }
    return object
  }

  private func makeInheriting(
    _ entity: EntityDescription, _ instantiation: Instantiation
  ) -> ManagedObject {
    let scope = scopes[entity.index] ?? schema.model.instantiationScope(for: entity)
    scopes[entity.index] = scope
    return scope.make(schema.model.objectClass(of: entity), instantiation)
  }

  /// Sets an object in memory to the values of the row that was received last, which is of the object's entity.
  func fill(_ object: ManagedObject) {
    guard let slab = received.slab else { return }
    object.values = []
    object.committed = []
    object.rowIndex = received.row
    object.row = slab.takeUnretainedValue()
    object.version = received.version
    object.state.remove(.fault)
  }

  private func replaceSlab() {
    slab = slab.next()
    openSlab = .passUnretained(slab)
  }

  private func openSlab(for entity: EntityDescription) -> RowSlab {
    let open = slabs[entity.index]
    if let open, !open.isFull { return open }
    let slab = open?.next() ?? RowSlab(format: formats[entity.index] ?? format)
    slabs[entity.index] = slab
    return slab
  }
}
