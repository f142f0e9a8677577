import TICDSSQLite

extension StoreFile {
  /// What the objects of this store, as they are read with its ``model``, do not say: columns and tables of which the model knows
  /// nothing, rows of unknown and of abstract entities, links that lead nowhere, values of other kinds than their attributes have, and files of long values
  /// where no model tells which attributes have any.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func unreadContents() throws -> [StoreLoss] {
    guard let persistentStore else { return [] }
    let (schema, connection) = (persistentStore.schema, try persistentStore.newConnection())
    var losses = try UnreadContents(schema: schema, connection: connection).losses()
    losses += try MisfitValues(schema: schema, connection: connection).losses()
    if modelOrigin == .derived { losses += LostFiles.unexplained(ExternalValues(storePath: path)) }
    return losses
  }

  /// - Parameter isMissed: whether a value whose file is missing is lost, too.
  private func lostFiles(_ isMissed: (EntityDescription, AttributeDescription) -> Bool) throws -> [StoreLoss]
  {
    guard let persistentStore, let values = persistentStore.schema.externalValues else { return [] }
    return try LostFiles(
      schema: persistentStore.schema, connection: persistentStore.newConnection(), values: values
    ).losses(isMissed)
  }

  /// What a copy of this store would not have.
  ///
  /// - Parameter kind: The kind of the copy.
  /// - Throws: ``StoreError`` or ``BinaryStoreError`` if the store cannot be read.
  public func losses(copyingAs kind: Kind) throws -> [StoreLoss] {
    var losses = try unreadContents()
    if kind == .binary, let persistentStore {
      losses += try HistoryTables(connection: persistentStore.newConnection()).losses(
        "of persistent history, which a binary store does not keep")
    }
    var objects = CopyLosses(self, copyingAs: kind)
    losses += try objects.losses()
    // A copy of the other kind has no reference that tells of a missing file.
    return try losses + lostFiles { _, _ in kind != self.kind }
  }

  /// What a migration of this store would drop besides the properties that the new model leaves out: objects of entities that it does not
  /// have, contents that the present model does not explain, and history that cannot go along.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func losses(migratingTo model: ManagedObjectModel) throws -> [StoreLoss] {
    guard let persistentStore else { return [] }
    var losses = try unreadContents()
    let schema = persistentStore.schema
    let keepsNumbers = zip(schema.model.entities, schema.tables).allSatisfy { entity, table in
      model.entity(named: entity.name).map { Int64($0.index + 1) } == table.number
    }
    let mapping = ModelMapping(from: schema.model, to: model)
    let connection = try persistentStore.newConnection()
    for (entity, table) in zip(schema.model.entities, schema.tables)
    where !entity.isAbstract && mapping.entity(from: entity) == nil {
      let count = try connection.first(
        "SELECT count(*) FROM \(quote(table.name)) WHERE Z_ENT = \(table.number)")
      guard case .integer(let count)? = count, count > 0 else { continue }
      losses.append(
        StoreLoss(entity.name, Int(count), "objects of an entity that the new model does not have"))
    }
    if !keepsNumbers {
      losses += try HistoryTables(connection: persistentStore.newConnection()).losses(
        "of persistent history, which tells entities by numbers that they do not keep")
    }
    return try losses
      + lostFiles { entity, attribute in
        guard let mapped = mapping.entity(from: entity),
          let place = mapped.properties.firstIndex(of: entity.index(of: attribute.name))
        else { return false }
        return mapped.target.attribute(at: place)?.isMarkedExternal == false
      }
  }

  /// What is missing from this store and so from a copy of the same kind: objects that links lead to, and files that hold values.
  ///
  /// Keeps the keys of all objects in memory, and nothing else of them.
  /// - Throws: ``StoreError`` or ``BinaryStoreError`` if the store cannot be read.
  public func missingContents() throws -> [StoreLoss] {
    let source = try objects()
    var present: Set<StoredObject.Reference> = []
    try source.forEachObject(of: nil) { present.insert($0.reference) }
    var targets: [String: Int] = [:]
    var files: [String: Int] = [:]
    try source.forEachObject(of: nil) { object in
      let entity = model.entities[object.reference.entity]
      func place(_ index: Int) -> String { "\(entity.name).\(entity.properties[index].name)" }
      for index in object.missingFiles.indices { files[place(index), default: 0] += 1 }
      for (offset, members) in object.relationships.enumerated() {
        let count = members.count { !present.contains($0) }
        if count > 0 { targets[place(entity.attributeCount + offset), default: 0] += count }
      }
    }
    return losses(targets, "links to objects that are not in the store")
      + losses(files, "values in files beside the store that are missing")
  }

  private func losses(_ counts: [String: Int], _ reason: String) -> [StoreLoss] {
    counts.sorted { $0.key < $1.key }.map { StoreLoss($0.key, $0.value, reason) }
  }

  /// How a copy keeps relationships to many objects without inverse: as this store does. A model that was derived from a binary store
  /// knows no inverses, so these relationships may lead to objects of any number of owners.
  var oneWayLayout: SchemaAssembly.OneWayLayout {
    guard let schema = persistentStore?.schema else { return modelOrigin == .derived ? .links : .ownerColumn }
    let hasLinks = schema.joins.contains { join in
      !join.isInTarget
        && model.entities[join.sourceEntity].relationship(at: join.sourceProperty)?.inverse == nil
    }
    return hasLinks ? .links : .ownerColumn
  }
}
