import ObjectStore
import TICDSSQLite

/// Notes what became of unsaved edits that met merges, in the transaction of the save that settled them, so that the next report
/// tells.
struct SettledEditRecorder {
  private let cells: Cells
  private let context: ManagedObjectContext
  private let changes: SaveChanges
  /// The registers of which the log says that they were written here since the last set.
  private var written: Set<WrittenRegister> = []

  private struct WrittenRegister: Hashable {
    var root: EntityNumber
    var row: RowNumber
    var bit: PropertyBit
  }

  /// Reads the bookkeeping, before the save's own changes are logged.
  init(_ changes: SaveChanges, of context: ManagedObjectContext) throws {
    self.changes = changes
    self.context = context
    cells = try Cells(connection: context.connection, schema: context.model.syncSchema)
    var position: Int64 = 0
    while true {
      let entries = try ChangeLog.entries(
        cells.connection, after: position, limit: 1_000, kind: .update)
      guard let last = entries.last else { break }
      position = last.position
      for entry in entries {
        for bit in entry.bits {
          written.insert(WrittenRegister(root: cells.names[entry.entity].root, row: entry.row, bit: bit))
        }
      }
    }
  }

  /// - Parameter time: that of the save.
  func record(at time: LogicalTime) throws {
    let entries = try changes.settledEdits.compactMap { try entry(of: $0, at: time) }
    try SettledConflicts(cells.state).insert(entries)
  }

  /// `nil` if the edit did not meet what another device wrote: two contexts of this one did, or the property does not travel.
  private func entry(of edit: SettledEdit, at time: LogicalTime) throws -> SettledConflicts.Entry? {
    guard let number = cells.names.existingNumber(of: edit.object.entity.name),
      let property = cells.names[number].localProperties.first(where: { $0.name == edit.property.name }),
      let identifier = edit.object.entity.index(of: SyncModelKey.syncID),
      case .string(let text) = edit.committedValue(at: identifier)
    else { return nil }
    let root = cells.names[number].root
    guard let slot = try cells.objects.find(SyncID(text), root: root) else { return nil }
    let record = cells[slot]
    let row = WrittenRegister(
      root: root, row: RowNumber(rawValue: edit.object.objectID.key), bit: property.bit)
    let author = try cells.state.author
    let remote = try edit.outcome == .deletedElsewhere ? record.deleted : lastWrite(of: property, record)
    guard remote != .zero, remote.author != author, !written.contains(row) else { return nil }
    return SettledConflicts.Entry(
      outcome: edit.outcome.reported, entity: cells.names[number].name, object: record.syncID,
      key: property.name, isAttribute: property.isAttribute,
      local: .wrote(content(edit.property.unsaved, of: property)),
      localStamp: Stamp(time: time, author: author),
      remote: .wrote(content(edit.property.saved, of: property)), remoteStamp: remote,
      remoteClient: cells.authors.client(of: remote.author))
  }

  /// What made the row show what it shows: the last write of the register, or the deletion of what it leads to.
  private func lastWrite(of property: KnownProperty, _ record: ObjectRecord) throws -> Stamp {
    let written = record.stamp(of: property.bit)
    let register = RegisterID(object: record.id, bit: property.bit)
    guard let target = try cells.parked.target(of: register) else { return written }
    return try max(written, cells.objects[target].deleted)
  }

  private func content(_ value: AttributeValue, of property: KnownProperty) -> Register.Content {
    if property.isAttribute { return .value(value) }
    guard case .reference(let entity, let key) = value,
      let target = context.object(entityIndex: Int(entity), key: key),
      let identifier = target.entity.index(of: SyncModelKey.syncID),
      case .string(let text) = target.value(at: identifier)
    else { return .target(nil) }
    return .target(SyncID(text))
  }
}

extension SettledEdit.Outcome {
  fileprivate var reported: SettledConflicts.Entry.Outcome {
    switch self {
    case .kept: .local
    case .dropped: .remote
    case .deletedElsewhere: .deletedByRemote
    case .deletedHere: .deletedHere
    }
  }
}
