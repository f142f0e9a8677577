import ObjectStore
import TICDSSQLite

@testable import ChangeTracking

final class Targetless: ForwardingStore {
  override func targets(of row: RowReference, _ property: LocalProperty) throws -> [RowNumber] { [] }
}

final class HalfTargetless: ForwardingStore {
  override func targets(of row: RowReference, _ property: LocalProperty) throws -> [RowNumber] {
    schema[row.entity].name == "Skill" ? [] : try base.targets(of: row, property)
  }
}

/// One that treats the relationships of partners in a way of its own.
class ChangingPartners: ForwardingStore {
  final func isPartner(_ row: RowReference, _ property: LocalProperty) -> Bool {
    if case .partner = schema[row.entity][property].kind { true } else { false }
  }
}

final class Lonely: ChangingPartners {
  override func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    if !isPartner(row, property) { try base.setTarget(of: row, property, to: target) }
  }
}

final class OneSided: ChangingPartners {
  override func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    if isPartner(row, property), let target { try base.setTarget(of: target, property, to: nil) }
    try base.setTarget(of: row, property, to: target)
  }
}

final class ClingingToPartner: ChangingPartners {
  private var deleted: [RowNumber: RowNumber] = [:]

  override func deleteRow(_ row: RowReference) throws {
    for (index, property) in schema[row.entity].properties.enumerated() {
      guard case .partner = property.kind else { continue }
      for source in try base.sources(row.entity, LocalProperty(rawValue: index), to: row.row) {
        deleted[source] = row.row
      }
    }
    try base.deleteRow(row)
  }
  override func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    guard var stored = try base.readRow(row, properties) else { return nil }
    for (index, property) in properties.enumerated() where isPartner(row, property) {
      if let partner = deleted[row.row] { stored.contents[index] = .target(partner) }
    }
    return stored
  }
}

final class FamilySources: ForwardingStore {
  override func sources(_ entity: LocalEntity, _ property: LocalProperty, to target: RowNumber) throws
    -> [RowNumber]
  {
    try schema.localEntities.filter { schema[$0].root == schema[entity].root }.flatMap {
      try base.sources($0, property, to: target)
    }
  }
}

/// Takes the sync ID of a target for that of the first row.
final class Mirrored: ForwardingStore {
  override func identity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    guard let identity = try base.identity(of: row, below: root) else { return nil }
    // Right for all that other laws ask for, which add few rows.
    guard row.rawValue > 1, try base.lastRow(identity.entity, in: database).rawValue > 4 else {
      return identity
    }
    let first = try base.rows(identity.entity, after: .none, limit: 1, withoutSyncID: false).first
    return try first.flatMap { try base.identity(of: $0, below: root) }
  }
}

final class AttributesFirst: ForwardingStore {
  override func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    try base.readRow(row, properties).map { stored in
      func isAttribute(_ content: StoredContent) -> Bool { if case .value = content { true } else { false } }
      return StoredRow(
        syncID: stored.syncID,
        contents: stored.contents.filter(isAttribute) + stored.contents.filter { !isAttribute($0) }.reversed()
      )
    }
  }
}

final class ThreeInOrder: ForwardingStore {
  override func members(of list: OrderedList) throws -> [RowReference] {
    let members = try base.members(of: list)
    return members.prefix(3) + members.dropFirst(3).sorted { $0.row < $1.row }
  }
}
