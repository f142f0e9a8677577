import ObjectStore

/// What one save does to objects that to-one relationships lead to: it deletes them, gives them to other objects, or brings them back. What a
/// relationship gains or loses by that nobody has written.
struct TargetChanges {
  /// To-one relationships and attributes of one row, by who changed them.
  struct Properties {
    var written: PropertyMask
    /// They led to an object that goes, or that another one has now and that can have one only.
    var cleared = PropertyMask()
    /// They lead to an object again that was deleted.
    var restored = PropertyMask()
  }

  /// A target of a one-to-one relationship that is given to somebody.
  private struct Claim: Hashable {
    /// The root of who gets it.
    var source: EntityNumber
    var bit: PropertyBit
    var target: ChangeLog.Row
  }

  /// Sync IDs of the objects that go, which others may take over.
  private(set) var deletedIdentifiers: Set<SyncID> = []
  private let changes: SaveChanges
  private let entities: [RecordedEntity?]
  /// With the numbers of their roots.
  private var deleted: Set<ChangeLog.Row> = []
  private var claims: Set<Claim> = []

  init(_ changes: SaveChanges, _ entities: [RecordedEntity?]) {
    self.changes = changes
    self.entities = entities
    for (index, row) in changes.rows.enumerated() {
      guard let entity = entities[Int(row.entity)] else { continue }
      let number = ChangeLog.Row(entity: entity.root, row: RowNumber(rawValue: row.primaryKey))
      switch row.kind {
      case .deleted:
        guard case .string(let syncID) = changes.value(of: entity.syncID, at: index) else { continue }
        deletedIdentifiers.insert(SyncID(syncID))
        deleted.insert(number)
        continue
      case .inserted, .updated: break
      }
      for property in entity.exclusive where row.kind == .inserted || row.changedProperties.contains(property)
      {
        guard let bit = entity.bits[property], let target = target(changes.value(of: property, at: index))
        else { continue }
        claims.insert(Claim(source: entity.root, bit: bit, target: target))
      }
    }
  }

  /// What an update of a row changed.
  func properties(of row: RowChange, at index: Int, _ entity: RecordedEntity) -> Properties {
    var properties = Properties(written: row.changedProperties)
    if deleted.isEmpty, claims.isEmpty, !changes.hasRestored { return properties }
    row.changedProperties.forEach { property in
      guard let bit = entity.bits[property] else { return }
      let (former, present) = (
        changes.previousValue(of: property, at: index), changes.value(of: property, at: index)
      )
      if present.isNull, let target = target(former) {
        guard
          deleted.contains(target)
            || claims.contains(Claim(source: entity.root, bit: bit, target: target))
        else { return }
        properties.written.remove(property)
        properties.cleared.insert(property)
      } else if former.isNull, changes.isRestored(property, at: index) {
        properties.written.remove(property)
        properties.restored.insert(property)
      }
    }
    return properties
  }

  private func target(_ value: AttributeValue) -> ChangeLog.Row? {
    guard case .reference(let entity, let key) = value, entities.indices.contains(Int(entity)),
      let root = entities[Int(entity)]?.root
    else { return nil }
    return ChangeLog.Row(entity: root, row: RowNumber(rawValue: key))
  }
}
