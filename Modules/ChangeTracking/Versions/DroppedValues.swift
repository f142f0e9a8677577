import ObjectStore
import TICDSSQLite

/// Values that migrations have left behind, as the object store has kept them: `Docs/Formats/MigrationJournal.md`.
///
/// They are kept aside, like what arrives for properties that the local model does not know: a later version may know them again, and other
/// devices have not dropped them.
struct DroppedValues {
  static let table = "TICDS_DROPPED"

  private let connection: Connection
  private let objects: ObjectTable
  private let parked: ParkedTable
  /// Of each entity, its properties by what they are called at the step that is followed.
  private var properties: [EntityNumber: [String: PropertyBit]] = [:]
  private var rows: [EntityNumber: [RowNumber: RecordID]] = [:]

  /// To be made while the bookkeeping has the names of before; `nil` if nothing was left behind.
  init?(_ connection: Connection) throws {
    let exists = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    guard try connection.first(exists, .text(Self.table)) != nil else { return nil }
    self.connection = connection
    objects = try ObjectTable(connection: connection, authors: AuthorTable(connection: connection))
    parked = try ParkedTable(connection: connection)
    for property in try LocalNames(connection).properties() {
      properties[property.entity, default: [:]][property.path.name] = property.bit
    }
  }

  /// Keeps aside what a step has left behind.
  ///
  /// - Parameters:
  ///   - entities: by what they were called before the step.
  ///   - offsets: what earlier steps have added to the keys of their rows, which the bookkeeping does not know yet.
  mutating func keep(
    step: Int, entities: [String: EntityNumber], offsets: [EntityNumber: Int64]
  ) throws {
    let statement = try connection.prepare(
      "SELECT entity, property, row, type, value, target FROM \(Self.table) WHERE step = ?")
    try statement.bind(Int64(step), at: 1)
    func row(_ key: Int64, of entity: EntityNumber) -> RowNumber {
      RowNumber(rawValue: key &- offsets[entity, default: 0])
    }
    while try statement.step() {
      guard let entity = entities[statement.text(0)], let bit = properties[entity]?[statement.text(1)] else {
        continue
      }
      let source = row(statement.int64(2), of: entity)
      guard let id = try record(source, of: entity), try objects[id].isWritten(bit) else { continue }
      try objects.spill()
      if let type = AttributeType(rawValue: Int32(clamping: statement.int64(3))), !statement.isNull(3) {
        let value = statement.attributeValue(4, as: type)
        guard try parked.value(of: RegisterID(object: id, bit: bit)) == nil else { continue }
        try parked.park(.value(value), of: id, bit)
      } else if let entity = entities[statement.text(5)],
        let target = try record(row(statement.int64(4), of: entity), of: entity)
      {
        try parked.park(target: target, of: id, bit)
      }
    }
  }

  /// Follows what a step has made of the names of properties.
  mutating func follow(_ step: [MigrationJournal.Entry], entities: [String: EntityNumber]) {
    let former = properties
    // All names go first, for one may be given to another property.
    for entry in step {
      if let name = entry.property, let entity = entities[entry.entity] { properties[entity]?[name] = nil }
    }
    for entry in step {
      guard let name = entry.property, let new = entry.newProperty, let entity = entities[entry.entity] else {
        continue
      }
      properties[entity]?[new] = former[entity]?[name]
    }
  }

  private mutating func record(_ row: RowNumber, of entity: EntityNumber) throws -> RecordID? {
    if let known = rows[entity] { return known[row] }
    let statement = try connection.prepare(
      "SELECT id, row FROM TICDS_OBJECT WHERE entity = ? AND row IS NOT NULL")
    try statement.bind(Int64(entity.rawValue), at: 1)
    var found: [RowNumber: RecordID] = [:]
    while try statement.step() {
      found[RowNumber(rawValue: statement.int64(1))] = RecordID(rawValue: statement.int64(0))
    }
    rows[entity] = found
    return found[row]
  }
}
