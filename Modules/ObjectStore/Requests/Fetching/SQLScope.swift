/// The rows that part of a statement is about: a table with an alias, and those that to-one relationships join to it.
final class SQLScope {
  let alias: String
  let entity: EntityDescription
  private(set) var joins = ""
  private var joined: [(path: [Int], alias: String)] = []

  init(alias: String, entity: EntityDescription) {
    self.alias = alias
    self.entity = entity
  }

  /// The alias of the table that a chain of to-one relationships leads to, joined when it is first asked for.
  func alias(for path: [Int], from column: String, to table: String) -> String {
    if let known = joined.first(where: { $0.path == path }) { return known.alias }
    let alias = "\(alias)_\(joined.count + 1)"
    joined.append((path, alias))
    joins += " LEFT JOIN \(quote(table)) \(alias) ON \(alias).Z_PK = \(column)"
    return alias
  }
}

extension StoreSchema {
  /// The SQL condition that a row is of an entity or one that inherits from it; `nil` if every row of the table is.
  func condition(of entity: EntityDescription, alias: String) -> String? {
    if !table(of: entity).isShared || entity.parent == nil { return nil }
    let numbers = entity.familyIndices.map { String(tables[$0].number) }.joined(separator: ", ")
    return "\(alias).Z_ENT IN (\(numbers))"
  }
}
