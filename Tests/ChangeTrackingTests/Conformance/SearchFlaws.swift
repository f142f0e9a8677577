import Foundation
import ObjectStore
import TICDSSQLite

@testable import ChangeTracking

/// One that looks for other values than it was given.
class ChangingSearches: ForwardingStore {
  func sought(_ text: String) -> String { text }

  override func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? {
    if let found = try base.row(entity, with: values) { return found }
    for row in try base.rows(entity, after: .none, limit: 100, withoutSyncID: false) {
      let reference = RowReference(entity: entity, row: row)
      let shown = try base.readRow(reference, values.map(\.property))?.contents ?? []
      let isMeant = zip(shown, values).allSatisfy { content, value in
        if case (.value(.string(let shown)), .string(let wanted)) = (content, value.value) {
          sought(shown) == sought(wanted)
        } else {
          content == .value(value.value)
        }
      }
      if isMeant { return reference }
    }
    return nil
  }
}

final class FoldingCase: ChangingSearches {
  override func sought(_ text: String) -> String { text.lowercased() }
}

final class Trimming: ChangingSearches {
  override func sought(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
}

final class TrimmingSyncIDs: ForwardingStore {
  override func row(_ entity: LocalEntity, syncID: SyncID) throws -> RowNumber? {
    try base.row(entity, syncID: SyncID(syncID.string.trimmingCharacters(in: .whitespaces)))
  }
}

final class OwnHolders: ForwardingStore {
  override func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? {
    try base.row(entity, with: values).flatMap { $0.entity == entity ? $0 : nil }
  }
}

final class MisnamedHolders: ForwardingStore {
  override func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? {
    try base.row(entity, with: values).map { RowReference(entity: entity, row: $0.row) }
  }
}
