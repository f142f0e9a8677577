import TICDSSQLite

/// Relationships that are stored otherwise than before: they are read as pairs, whatever their old form.
extension MigrationTransfer {
  /// Fills the tables of many-to-many relationships, and to-one relationships that were not to-one before.
  func fillRelationships(_ connection: Connection) throws {
    for join in target.joins { try fill(join, connection) }
    for entity in target.model.entities {
      for (index, storage) in target.tables[entity.index].storage.enumerated() {
        guard case .toOne(let columns) = storage, let relationship = entity.relationship(at: index),
          relationship.ownerIndex == entity.index, origins(of: entity, at: index).isEmpty,
          let pairs = pairs(of: entity, at: index, relationship)
        else { continue }
        try fill(columns, of: entity, relationship, pairs, connection)
      }
    }
  }

  private func fill(_ join: JoinTable, _ connection: Connection) throws {
    let entity = target.model.entities[join.sourceEntity]
    guard let relationship = entity.relationship(at: join.sourceProperty),
      let pairs = pairs(of: entity, at: join.sourceProperty, relationship)
    else { return }
    if join.isInTarget { return try fillOwners(join, pairs, connection) }
    var columns = [join.sourceColumn, join.targetColumn]
    var values = ["p.o", "p.t"]
    if let order = join.targetOrder {
      columns.append(order)
      values.append("ifnull(p.target_place, p.t * 1024)")
    }
    if let order = join.sourceOrder {
      columns.append(order)
      values.append("ifnull(p.owner_place, p.o * 1024)")
    }
    let list = columns.map { quote($0) }.joined(separator: ", ")
    try connection.run(
      "INSERT OR IGNORE INTO \(quote(join.name)) (\(list)) SELECT \(values.joined(separator: ", ")) FROM (\(pairs)) p"
    )
    if join.isReflexive {
      // Every link of such a relationship is two rows, which it was not if it had no inverse before.
      let places = join.targetOrder == nil ? "" : ", p.o * 1024"
      try connection.run(
        "INSERT OR IGNORE INTO \(quote(join.name)) (\(list)) SELECT p.t, p.o\(places) FROM (\(pairs)) p")
    }
  }

  /// Rows name their owner, so each can have one only.
  private func fillOwners(_ join: JoinTable, _ pairs: String, _ connection: Connection) throws {
    let table = quote(join.name)
    let rivals = try connection.first(
      "SELECT p.t FROM (\(pairs)) p GROUP BY p.t HAVING count(DISTINCT p.o) > 1")
    if case .integer(let key)? = rivals {
      let entity = target.model.entities[join.sourceEntity]
      let line =
        "\(entity.name).\(entity.properties[join.sourceProperty].name): object \(key) would have to have more than one owner"
      throw StoreError(.migrationRefused([line]), path: path)
    }
    let order = join.targetOrder.map { ", \(quote($0)) = ifnull(p.target_place, p.t * 1024)" } ?? ""
    try connection.run(
      """
      UPDATE \(table) SET \(quote(join.sourceColumn)) = p.o\(order) \
      FROM (\(pairs)) p WHERE \(table).Z_PK = p.t
      """)
  }

  private func fill(
    _ columns: ToOneColumns, of entity: EntityDescription, _ relationship: RelationshipDescription,
    _ pairs: String, _ connection: Connection
  ) throws {
    let table = quote(target.tables[entity.index].name)
    let rivals = try connection.first(
      "SELECT p.o FROM (\(pairs)) p GROUP BY p.o HAVING count(DISTINCT p.t) > 1")
    if case .integer(let key)? = rivals {
      let line =
        "\(entity.name).\(relationship.name): object \(key) would have to lead to more than one object"
      throw StoreError(.migrationRefused([line]), path: path)
    }
    var assignments = ["\(quote(columns.key)) = p.t"]
    if let column = columns.entity { assignments.append("\(quote(column)) = p.te") }
    if let column = columns.order {
      assignments.append("\(quote(column)) = ifnull(p.owner_place, p.o * 1024)")
    }
    try connection.run(
      """
      UPDATE \(table) SET \(assignments.joined(separator: ", ")) FROM (\(pairs)) p \
      WHERE \(table).Z_PK = p.o
      """)
  }

  // MARK: - Pairs

  /// A query of the pairs that a relationship of the target has, from its own old form or that of its inverse: `o` owner, `t`
  /// target, `te` number of the target's entity, and the places of each among the other's; `nil` if neither was there.
  private func pairs(
    of entity: EntityDescription, at index: Int, _ relationship: RelationshipDescription
  ) -> String? {
    let own = origins(of: entity, at: index)
    if !own.isEmpty { return union(own.map { mapped($0.entity, $0.index, relationship, isReversed: false) }) }
    guard let inverse = relationship.inverseIndex else { return nil }
    let others = origins(of: target.model.entities[relationship.destinationIndex], at: inverse)
    return union(others.map { mapped($0.entity, $0.index, relationship, isReversed: true) })
  }

  private func union(_ queries: [String?]) -> String? {
    let queries = queries.compactMap { $0 }
    return queries.isEmpty ? nil : queries.joined(separator: " UNION ALL ")
  }

  /// The relationships of the source that one of the target was, each at the entity that declares it there: several if it
  /// has moved up to a common parent.
  private func origins(of entity: EntityDescription, at index: Int) -> [(
    entity: EntityDescription, index: Int
  )] {
    var found: [(entity: EntityDescription, index: Int)] = []
    func add(_ old: (entity: EntityDescription, index: Int)) {
      guard let owner = old.entity.relationship(at: old.index)?.ownerIndex else { return }
      let declaring = source.model.entities[owner]
      guard let place = declaring.index(of: old.entity.properties[old.index].name) else { return }
      if !found.contains(where: { $0.entity === declaring && $0.index == place }) {
        found.append((declaring, place))
      }
    }
    if let old = mapping.relationship(from: entity, at: index) {
      add(old)
      return found
    }
    let name = entity.properties[index].name
    for member in entity.familyIndices.dropFirst() {
      let sub = target.model.entities[member]
      if let place = sub.index(of: name), let old = mapping.relationship(from: sub, at: place) { add(old) }
    }
    return found
  }

  private func family(_ index: Int?) -> [ModelMapping.Entity] {
    guard let index else { return [] }
    return source.model.entities[index].familyIndices.compactMap {
      mapping.entity(from: source.model.entities[$0])
    }
  }

  private func mapped(
    _ entity: EntityDescription, _ index: Int, _ relationship: RelationshipDescription, isReversed: Bool
  ) -> String? {
    guard let pairs = oldPairs(of: entity, at: index) else { return nil }
    let near = family(entity.index)
    let far = family(entity.relationship(at: index)?.destinationIndex)
    if !isReversed { return translated(pairs, owners: near, targets: far, relationship) }
    let reversed = """
      SELECT t AS o, te AS oe, o AS t, oe AS te, target_place AS owner_place, owner_place AS target_place FROM (\(pairs))
      """
    return translated(reversed, owners: far, targets: near, relationship)
  }

  /// Pairs of new keys instead of old ones; those of which one side is gone are left out.
  private func translated(
    _ pairs: String, owners: [ModelMapping.Entity], targets: [ModelMapping.Entity],
    _ relationship: RelationshipDescription
  ) -> String {
    let owners = owners.filter { $0.target.isKind(of: target.model.entities[relationship.ownerIndex]) }
    let targets = targets.filter {
      $0.target.isKind(of: target.model.entities[relationship.destinationIndex])
    }
    func numbers(_ entities: [ModelMapping.Entity]) -> String {
      entities.map { String(source.tables[$0.source.index].number) }.joined(separator: ", ")
    }
    return """
      SELECT \(choose(by: "oe", among: owners) { shifted("o", by: $0.keyOffset) }) AS o, \
      \(choose(by: "te", among: targets) { shifted("t", by: $0.keyOffset) }) AS t, \
      \(choose(by: "te", among: targets) { String(target.tables[$0.target.index].number) }) AS te, \
      owner_place, target_place FROM (\(pairs)) \
      WHERE oe IN (\(numbers(owners))) AND te IN (\(numbers(targets)))
      """
  }

  /// The pairs of a relationship of the source, with old keys and numbers.
  private func oldPairs(of entity: EntityDescription, at index: Int) -> String? {
    guard let relationship = entity.relationship(at: index) else { return nil }
    let own = source.tables[entity.index]
    let destination = source.tables[relationship.destinationIndex]
    switch own.storage[index] {
    case .toOne(let columns):
      return """
        SELECT s.Z_PK AS o, s.Z_ENT AS oe, d.Z_PK AS t, d.Z_ENT AS te, \
        \(columns.order.map { "s.\(quote($0))" } ?? "NULL") AS owner_place, NULL AS target_place \
        FROM \(quote(own.name)) s JOIN \(quote(destination.name)) d ON d.Z_PK = s.\(quote(columns.key))
        """
    case .inverse(let other, let property):
      guard case .toOne(let columns) = source.tables[other].storage[property] else { return nil }
      return """
        SELECT o.Z_PK AS o, o.Z_ENT AS oe, d.Z_PK AS t, d.Z_ENT AS te, NULL AS owner_place, \
        \(columns.order.map { "d.\(quote($0))" } ?? "NULL") AS target_place \
        FROM \(quote(source.tables[other].name)) d JOIN \(quote(own.name)) o ON o.Z_PK = d.\(quote(columns.key))
        """
    case .join(let side):
      let reverse = side.isReversed ? side.table.targetOrder : side.table.sourceOrder
      return """
        SELECT o.Z_PK AS o, o.Z_ENT AS oe, d.Z_PK AS t, d.Z_ENT AS te, \
        \(reverse.map { "j.\(quote($0))" } ?? "NULL") AS owner_place, \
        \(side.orderColumn.map { "j.\(quote($0))" } ?? "NULL") AS target_place \
        FROM \(quote(side.table.name)) j JOIN \(quote(own.name)) o ON o.Z_PK = j.\(quote(side.ownColumn)) \
        JOIN \(quote(destination.name)) d ON d.Z_PK = j.\(quote(side.memberColumn))
        """
    case .memory, .attribute: return nil
    }
  }
}
