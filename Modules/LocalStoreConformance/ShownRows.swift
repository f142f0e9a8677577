import ChangeTracking
import ObjectStore

/// Everything that a store shows, by sync IDs, so that two stores can be compared.
struct ShownRows {
  private let context: LawContext
  private var rows: Set<RowReference> = []

  init(_ context: LawContext) { self.context = context }

  /// Notes which rows there are.
  mutating func note(_ changes: ChangedRows) {
    rows.formUnion(changes.inserted)
    rows.subtract(changes.deleted)
  }

  /// One line for each property of each row, sorted.
  func lines() throws -> [String] {
    try rows.flatMap { row in try lines(of: row) }.sorted()
  }

  private func lines(of row: RowReference) throws -> [String] {
    let (store, schema) = (context.store, context.store.schema[row.entity])
    let stored = schema.properties.indices.filter {
      if case .toMany = schema.properties[$0].kind { false } else { true }
    }
    guard let found = try store.readRow(row, stored.map(LocalProperty.init(rawValue:))), let id = found.syncID
    else {
      throw StoreConformanceFailure(description: "A row that the engine inserted is not there.")
    }
    let object = "\(schema.name) \(id)"
    var lines = [object]
    for (index, content) in zip(stored, found.contents) {
      switch content {
      case .value(let value): lines.append("\(object) \(schema.properties[index].name) = \(value)")
      case .target(let target?):
        lines.append("\(object) \(schema.properties[index].name) → \(try name(target, of: row, index))")
      case .target(nil): break
      case .unreadable: lines.append("\(object) \(schema.properties[index].name) is unreadable")
      }
    }
    for (index, property) in schema.properties.enumerated() {
      guard case .toMany = property.kind else { continue }
      for target in try store.targets(of: row, LocalProperty(rawValue: index)) {
        lines.append("\(object) \(property.name) ∋ \(try name(target, of: row, index))")
      }
    }
    return lines
  }

  private func name(_ target: RowNumber, of row: RowReference, _ property: Int) throws -> String {
    let root: String
    switch context.store.schema[row.entity].properties[property].kind {
    case .toOne(let destination, _), .partner(let destination), .toMany(let destination, _):
      root = destination
    case .attribute: return ""
    }
    guard let identity = try context.store.identity(of: target, below: root), let id = identity.syncID else {
      throw StoreConformanceFailure(
        description: "A relationship leads to row \(target.rawValue), which has no sync ID or is gone.")
    }
    return "\(id)"
  }
}
