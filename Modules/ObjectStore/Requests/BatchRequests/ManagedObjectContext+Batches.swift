import TICDSSQLite

// What the three have in common: everything happens in the store, in one transaction, for a child too; unsaved changes of the
// context are neither looked at nor saved; afterwards all contexts are told, this one too.
extension ManagedObjectContext {
  /// Inserts a row for each element of a sequence, without making objects.
  ///
  /// Hooks and checks of the class are not called; values must keep the rules of the model. If the context has
  /// participants, the rows are inserted as objects after all, so that participants, hooks and validation see them.
  /// - Parameters:
  ///   - type: The class of the objects.
  ///   - elements: What rows are made of, one for each.
  ///   - rule: What becomes of a row whose values under a uniqueness constraint of the entity are those of a saved row, or of an
  ///     earlier one of the batch. Without constraints all rows are new.
  ///   - fill: Sets the values of a row.
  /// - Returns: the identifiers of the new objects, in the order of the sequence, and of those that were updated.
  /// - Throws: ``ContextError`` if a value cannot be, ``SaveError`` if a uniqueness constraint is not kept, ``StoreError`` if
  ///   SQLite fails, or what `fill` throws. Nothing is inserted then.
  @discardableResult public func insertRows<Object: ManagedObject, Elements: Sequence>(
    _ type: Object.Type, from elements: Elements, onConflict rule: BatchConflictRule = .refuse,
    _ fill: (inout BatchRow<Object>, Elements.Element) throws -> Void
  ) throws -> ObjectChanges {
    guard let entity = model.entity(for: type) else { throw ContextError.unknownEntity(type.entityName) }
    return try insertRows(entity, from: elements, rule, fill)
  }

  /// Inserts a row of an entity for each element of a sequence; as ``insertRows(_:from:onConflict:_:)-(Object.Type,_,_,_)``.
  @discardableResult public func insertRows<Elements: Sequence>(
    entity name: String, from elements: Elements, onConflict rule: BatchConflictRule = .refuse,
    _ fill: (inout BatchRow<ManagedObject>, Elements.Element) throws -> Void
  ) throws -> ObjectChanges {
    guard let entity = model.entity(named: name) else { throw ContextError.unknownEntity(name) }
    return try insertRows(entity, from: elements, rule, fill)
  }

  private func insertRows<Object: ManagedObject, Elements: Sequence>(
    _ entity: EntityDescription, from elements: Elements, _ rule: BatchConflictRule,
    _ fill: (inout BatchRow<Object>, Elements.Element) throws -> Void
  ) throws -> ObjectChanges {
    if entity.isAbstract { throw ContextError.abstractEntity(entity.name) }
    let template = BatchRow<Object>(entity, store: store, resolve: resolver)
    func filled(_ element: Elements.Element) throws -> BatchRow<Object> {
      var row = template
      try fill(&row, element)
      return row
    }
    func row(_ element: Elements.Element) throws -> ContiguousArray<AttributeValue> {
      let row = try filled(element)
      try row.check()
      return row.values
    }
    if rule != .refuse {
      try root.adoptRegistrations()
      // Which rows are updated is not known yet, and what is immutable refuses that by itself.
      let hasImmutable = (0..<entity.slotCount).contains { isImmutable($0, in: entity) }
      if needsObjects || hasImmutable {
        let rows = try elements.map(filled)
        return try batchOfObjects { try $0.upsert(rows, entity, rule) }
      }
      return try batch {
        try BatchUpsert(entity: entity, store: store, connection: connection, rule: rule).run(
          elements, filled)
      }
    }
    if needsObjects {
      return try batchOfObjects { try $0.insert(elements.lazy.map(row), entity) }
    }
    return try batch {
      try BatchInsertion(entity: entity, store: store, connection: connection).run(elements, row)
    }
  }

  /// Updates the rows that a request is about, without making objects.
  ///
  /// Hooks and checks of the class are not called; values must keep the rules of the model. If the context has
  /// participants, the rows are updated as objects after all, so that participants, hooks and validation see them. So they
  /// are if an attribute is set that may have its value in a file, or one with rules to something computed.
  /// - Returns: the identifiers of the updated objects.
  /// - Throws: ``ContextError`` if a value cannot be, ``SaveError`` if a uniqueness constraint is not kept, ``StoreError`` if
  ///   SQLite fails. Nothing is updated then.
  @discardableResult public func updateRows<Object: ManagedObject>(
    _ request: FetchRequest<Object>, _ assignments: BatchAssignment<Object>...
  ) throws -> ObjectChanges {
    let entity = try entity(of: request)
    if assignments.isEmpty { return ObjectChanges() }
    if needsObjects { return try batchOfObjects { try $0.update(request, entity, assignments) } }
    // What is immutable may have been registered just now.
    try root.adoptRegistrations()
    var update = BatchUpdate(entity: entity, context: self)
    if try update.needsObjects(assignments) {
      return try batchOfObjects { try $0.update(request, entity, assignments) }
    }
    return try batch { try update.run(request, assignments) }
  }

  /// Deletes the rows that a request is about, and those that delete rules take with them, without making objects.
  ///
  /// A relationship with the rule *deny* refuses the batch, one with the rule *no action* is treated like *nullify*. Hooks of
  /// the class are not called, unless the context has participants: the rows are then deleted as objects after all. Files of
  /// long values go after the commit.
  /// - Returns: the identifiers of the deleted objects, and of those that forgot one of them.
  /// - Throws: ``SaveError`` if a delete rule or a relationship that must lead somewhere refuses it, ``ContextError`` if the
  ///   request does not fit the model, ``StoreError`` if SQLite fails. Nothing is deleted then.
  @discardableResult public func deleteRows<Object: ManagedObject>(
    _ request: FetchRequest<Object>
  ) throws -> ObjectChanges {
    let entity = try entity(of: request)
    if needsObjects { return try batchOfObjects { try $0.delete(request) } }
    return try batch {
      let deletion = BatchDeletion(store: store, connection: connection)
      var translation = SQLTranslation(schema: store.schema, resolve: resolver)
      let clauses = try translation.clauses(request, entity, limit: request.limit, offset: request.offset)
      return try deletion.run(clauses, translation.values, entity)
    }
  }

  // MARK: - Running

  /// Whether somebody has to see each row: participants, or attributes that are derived from others.
  private var needsObjects: Bool { root.hasParticipants || model.hasDerivedAttributes }

  private func batch(_ body: () throws -> ObjectChanges) throws -> ObjectChanges {
    if store.options.access == .readOnly { throw StoreError(.readOnly, path: store.path) }
    let changes: ObjectChanges
    do {
      changes = try connection.transaction { try body() }
    } catch let error as SQLiteError {
      if error.code == .constraint { throw SaveError([.notUnique(error.message)]) }
      throw StoreError(.database(error), path: store.path)
    }
    tell(changes)
    return changes
  }

  private func tell(_ changes: ObjectChanges) {
    noticeForeignCommits()
    store.announce(changes)
    if mergesChangesAutomatically { mergeAnnounced() }
  }

  /// Does a batch with objects of a context of its own, which shares the connection and the participants, but no changes. Of
  /// the store's participants it has its own, as every context.
  private func batchOfObjects(_ body: (BatchObjects) throws -> ObjectChanges) throws -> ObjectChanges {
    if store.options.access == .readOnly { throw StoreError(.readOnly, path: store.path) }
    let scratch = try ManagedObjectContext(store: store, besides: self)
    scratch.now = now
    scratch.usesStoreParticipants = usesStoreParticipants
    for participant in root.ownParticipants { scratch.addParticipant(participant) }
    let changes = try body(BatchObjects(context: scratch))
    // Saving has told the others and this one, but not of what other programs had committed before.
    noticeForeignCommits()
    if mergesChangesAutomatically { mergeAnnounced() }
    return changes
  }
}
