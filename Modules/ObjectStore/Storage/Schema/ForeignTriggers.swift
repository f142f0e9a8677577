import TICDSSQLite

/// Finds triggers of a store that the derived attributes of its model do not make. They run with whatever is written, and may do anything.
struct ForeignTriggers {
  let schema: StoreSchema
  let connection: Connection

  /// Their names, in order.
  ///
  /// - Throws: `SQLiteError`.
  func names() throws -> [String] {
    let own = Set(triggers(restrictingRoots: false).map(\.name))
    let listing = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    var names: [String] = []
    while try listing.step() {
      let name = listing.text(0)
      if !own.contains(name) { names.append(name) }
    }
    return names
  }

  /// Those that have the name of one of the model's and do something else, in order.
  ///
  /// - Throws: `SQLiteError`.
  func altered() throws -> [String] {
    let forms = [true, false].map { restricts in
      Dictionary(
        triggers(restrictingRoots: restricts).map { ($0.name, Self.plain($0.statement)) },
        uniquingKeysWith: { first, _ in first })
    }
    let listing = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    var names: [String] = []
    while try listing.step() {
      let (name, statement) = (listing.text(0), Self.plain(listing.text(1)))
      let expected = forms.compactMap { $0[name] }
      if !expected.isEmpty, !expected.contains(statement) { names.append(name) }
    }
    return names
  }

  private func triggers(restrictingRoots restricts: Bool) -> [DerivationTriggers.Trigger] {
    DerivationTriggers(schema: schema, restrictsRoots: restricts).all().flatMap(\.triggers)
  }

  /// A statement without the spaces, quotation marks and capitals that change nothing.
  private static func plain(_ statement: String) -> String {
    String(statement.filter { !$0.isWhitespace && $0 != "\"" }).uppercased()
  }
}

extension PersistentStore {
  /// The names of triggers that the store has and its model does not make, or makes otherwise, in order: they run with whatever is written.
  ///
  /// - Throws: ``StoreError`` with `database`.
  package func foreignTriggers() throws(StoreError) -> [String] {
    let connection = try newConnection()
    do {
      let triggers = ForeignTriggers(schema: schema, connection: connection)
      return try (triggers.names() + triggers.altered()).sorted()
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    } catch {
      throw StoreError(.damagedMetadata(String(describing: error)), path: path)
    }
  }
}
