import Foundation
import ObjectStore
import TICDSSQLite

@testable import ChangeTracking

final class WithoutNaN: ChangingValues {
  override func stored(_ value: AttributeValue) -> AttributeValue {
    if case .double(let number) = value, number.isNaN { .null } else { value }
  }
  override func canHold(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> Bool {
    if case .double = value {
      base.canHold(.double(1), entity, property)
    } else {
      base.canHold(value, entity, property)
    }
  }
}

final class OneLineEnd: ChangingValues {
  override func stored(_ value: AttributeValue) -> AttributeValue {
    if case .string(let text) = value {
      .string(text.replacingOccurrences(of: "\r\n", with: "\n"))
    } else {
      value
    }
  }
}

final class Microseconds: ChangingValues {
  override func stored(_ value: AttributeValue) -> AttributeValue {
    if case .date(let seconds) = value { .date((seconds * 1e6).rounded() / 1e6) } else { value }
  }
}

final class RememberingDeletions: ForwardingStore {
  private var deleted: Set<RowReference> = []

  override func deleteRow(_ row: RowReference) throws {
    try base.deleteRow(row)
    deleted.insert(row)
  }
  override func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    deleted.contains(row) ? nil : try base.readRow(row, properties)
  }
}

/// Names an entity that its schema does not have.
final class OutsideSchema: ForwardingStore {
  override func identity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    try base.identity(of: row, below: root).map {
      RowIdentity(entity: LocalEntity(rawValue: 99), syncID: $0.syncID)
    }
  }
  override func members(of list: OrderedList) throws -> [RowReference] {
    try base.members(of: list).map { RowReference(entity: LocalEntity(rawValue: 99), row: $0.row) }
  }
}
