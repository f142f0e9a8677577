import ObjectStore
import TICDSSQLite

@testable import ChangeTracking

/// A store that passes every call on, for subclasses that do one thing wrong.
class ForwardingStore: LocalStore {
  let base: any LocalStore

  required init(_ base: any LocalStore) { self.base = base }

  var database: SharedDatabase { base.database }
  var schema: SyncSchema { base.schema }
  var logsInsertions: Bool { base.logsInsertions }

  func startRecording(now: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64) {
    base.startRecording(now: now, random: random)
  }
  func transactionDidBegin() { base.transactionDidBegin() }
  func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber {
    try base.insertRow(entity, syncID: syncID, values: values)
  }
  func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    try base.updateRow(row, values: values)
  }
  func deleteRow(_ row: RowReference) throws { try base.deleteRow(row) }
  func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    try base.setTarget(of: row, property, to: target)
  }
  func link(_ row: RowReference, _ property: LocalProperty, to target: RowReference) throws {
    try base.link(row, property, to: target)
  }
  func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowReference) throws {
    try base.unlink(row, property, from: target)
  }
  func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    try base.readRow(row, properties)
  }
  func identity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    try base.identity(of: row, below: root)
  }
  func canHold(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> Bool {
    base.canHold(value, entity, property)
  }
  func sources(_ entity: LocalEntity, _ property: LocalProperty, to target: RowNumber) throws -> [RowNumber] {
    try base.sources(entity, property, to: target)
  }
  func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? {
    try base.row(entity, with: values)
  }
  func rowsRepeatingValues(_ entity: LocalEntity, of constraint: [LocalProperty]) throws -> [RowReference] {
    try base.rowsRepeatingValues(entity, of: constraint)
  }
  func completeConstraints() throws { try base.completeConstraints() }
  func members(of list: OrderedList) throws -> [RowReference] { try base.members(of: list) }
  func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference] {
    try base.arrange(members, of: list)
  }
  func arrange(
    _ members: [RowReference], of list: OrderedList, between lower: RowReference?, and upper: RowReference?
  ) throws -> [RowReference]? {
    try base.arrange(members, of: list, between: lower, and: upper)
  }
  func isMember(_ row: RowReference, of list: OrderedList) throws -> Bool {
    try base.isMember(row, of: list)
  }
  func announce(_ changes: ChangedRows) { base.announce(changes) }
  func copy(to path: String, as name: String) throws { try base.copy(to: path, as: name) }
  func lastRow(_ entity: LocalEntity, in database: SharedDatabase) throws -> RowNumber {
    try base.lastRow(entity, in: database)
  }
  func rows(_ entity: LocalEntity, after row: RowNumber, limit: Int, withoutSyncID: Bool) throws
    -> [RowNumber]
  {
    try base.rows(entity, after: row, limit: limit, withoutSyncID: withoutSyncID)
  }
  func identifiedRows(_ entity: LocalEntity, after row: RowNumber, limit: Int) throws -> [IdentifiedRow] {
    try base.identifiedRows(entity, after: row, limit: limit)
  }
  func row(_ entity: LocalEntity, syncID: SyncID) throws -> RowNumber? {
    try base.row(entity, syncID: syncID)
  }
  func rowsRepeatingSyncIDs(_ entity: LocalEntity, after row: RowNumber, through last: RowNumber) throws
    -> [RowNumber]
  {
    try base.rowsRepeatingSyncIDs(entity, after: row, through: last)
  }
  func setSyncID(_ syncID: SyncID, of row: RowReference) throws { try base.setSyncID(syncID, of: row) }
  func naturalKey(of row: RowReference) throws -> [AttributeValue] { try base.naturalKey(of: row) }
  func targets(of row: RowReference, _ property: LocalProperty) throws -> [RowNumber] {
    try base.targets(of: row, property)
  }
}
