import TICDSSQLite

/// The statements of one join table, compiled once.
final class LinkStatements {
  private let join: JoinTable
  private let insertion: Statement
  private let deletion: Statement
  private let query: Statement
  private let targets: Statement
  private let sources: Statement

  init(_ join: JoinTable, _ connection: Connection) throws {
    self.join = join
    let (name, source, target) = (quote(join.name), quote(join.sourceColumn), quote(join.targetColumn))
    insertion = try connection.prepare(join.insertion)
    deletion = try connection.prepare(join.deletion)
    query = try connection.prepare("SELECT 1 FROM \(name) WHERE \(source) = ? AND \(target) = ?")
    let order = join.targetOrder.map { " ORDER BY \(quote($0))" } ?? ""
    targets = try connection.prepare("SELECT \(target) FROM \(name) WHERE \(source) = ?\(order)")
    let reverse = join.sourceOrder.map { " ORDER BY \(quote($0))" } ?? ""
    sources = try connection.prepare("SELECT \(source) FROM \(name) WHERE \(target) = ?\(reverse)")
  }

  func link(_ source: Int64, _ target: Int64, position: Int64?) throws {
    try insert(source, target, position: position)
    if join.isReflexive, source != target { try insert(target, source, position: nil) }
  }

  private func insert(_ source: Int64, _ target: Int64, position: Int64?) throws {
    try insertion.bind(source, at: 1)
    try insertion.bind(target, at: 2)
    if join.targetOrder != nil {
      if let position { try insertion.bind(position, at: 3) } else { try insertion.bindNull(3) }
    }
    try insertion.run()
  }

  func unlink(_ source: Int64, _ target: Int64) throws {
    try run(deletion, source, target)
    if join.isReflexive, source != target { try run(deletion, target, source) }
  }

  private func run(_ statement: Statement, _ source: Int64, _ target: Int64) throws {
    try statement.bind(source, at: 1)
    try statement.bind(target, at: 2)
    try statement.run()
  }

  func isLinked(_ source: Int64, _ target: Int64) throws -> Bool {
    try query.bind(source, at: 1)
    try query.bind(target, at: 2)
    defer { query.reset() }
    return try query.step()
  }

  func linkedKeys(source: Int64?, target: Int64?) throws -> [Int64] {
    guard let key = source ?? target else { return [] }
    let statement = source == nil ? sources : targets
    try statement.bind(key, at: 1)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.int64(0)) }
    return keys
  }
}
