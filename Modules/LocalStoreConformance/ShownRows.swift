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

  /// Notes rows that were added here.
  mutating func note(_ added: some Sequence<RowReference>) { rows.formUnion(added) }

  /// Notes that a row is gone.
  mutating func remove(_ row: RowReference) { rows.remove(row) }

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
        lines.append(
          "\(object) \(schema.properties[index].name) → \(try name(target, of: row, LocalProperty(rawValue: index)))"
        )
      case .target(nil): break
      case .unreadable: lines.append("\(object) \(schema.properties[index].name) is unreadable")
      }
    }
    for (index, property) in schema.properties.enumerated() {
      guard case .toMany = property.kind else { continue }
      for target in try store.targets(of: row, LocalProperty(rawValue: index)) {
        lines.append(
          "\(object) \(property.name) ∋ \(try name(target, of: row, LocalProperty(rawValue: index)))")
      }
    }
    return try lines + lists(of: row).map { "\(object) \($0)" }
  }

  /// The ordered lists of a row.
  private func lists(of row: RowReference) throws -> [String] {
    let schema = context.store.schema
    return try context.places { !$0.order.isEmpty }.flatMap { place in
      try [false, true].filter { isInverse in
        let order = context.schema(place).order
        return isInverse
          ? order.contains(.sources) && context.schema(place).kind.destination == schema[row.entity].root
          : order.contains(.targets) && place.entity == row.entity
      }.map { isInverse in
        let list = OrderedList(
          entity: place.entity, property: place.property, isInverse: isInverse, owner: row.row)
        let members = try context.store.members(of: list).map { member in
          try context.store.readRow(member, [])?.syncID.map { "\($0)" } ?? "nobody"
        }
        return "\(isInverse ? "←" : "")\(place) = [\(members.joined(separator: ", "))]"
      }
    }
  }

  private func name(_ target: RowNumber, of row: RowReference, _ property: LocalProperty) throws -> String {
    guard let root = context.store.schema[row.entity][property].kind.destination,
      let id = try context.store.identity(of: target, below: root)?.syncID
    else {
      throw StoreConformanceFailure(
        description: "A relationship leads to row \(target.rawValue), which has no sync ID or is gone.")
    }
    return "\(id)"
  }
}
