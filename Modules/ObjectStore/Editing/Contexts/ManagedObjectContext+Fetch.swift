import TICDSSQLite

extension ManagedObjectContext {
  /// Fetches objects. Unsaved changes of this context count, unless the request says otherwise.
  ///
  /// - Throws: ``ContextError`` if the request does not fit the model, ``StoreError`` if SQLite fails.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    let entity = try entity(of: request)
    if mergesChangesAutomatically { mergeAnnounced() }
    prefetched = []
    do {
      let effect = try pendingEffect(on: request, entity)
      if effect == .none {
        let objects = try select(request, entity, limit: request.limit, offset: request.offset)
        if hasForeignCommits, mergeForeignCommits() { return try fetch(request) }
        try prefetch(request.prefetches, of: objects, entity)
        return typed(objects, of: entity)
      }
      let merged = try mergePending(effect, request, entity)
      if hasForeignCommits, mergeForeignCommits() { return try fetch(request) }
      let end = request.limit.map { min(merged.count, request.offset + $0) } ?? merged.count
      let objects = Array(merged[min(request.offset, end)..<end])
      try prefetch(request.prefetches, of: objects, entity)
      return typed(objects, of: entity)
    } catch let error as SQLiteError {
      throw failure(error, of: entity)
    }
  }

  /// Fetches all objects of a class for which a condition holds.
  ///
  /// - Throws: as `fetch`.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: FetchPredicate<Object>? = nil
  ) throws -> [Object] {
    var request = FetchRequest<Object>()
    request.predicate = predicate
    return try fetch(request)
  }

  /// Fetches one object of a class for which a condition holds; `nil` if there is none.
  ///
  /// - Throws: as `fetch`.
  public func first<Object: ManagedObject>(
    _ type: Object.Type, where predicate: FetchPredicate<Object>
  ) throws -> Object? {
    var request = FetchRequest<Object>()
    request.predicate = predicate
    request.limit = 1
    return try fetch(request).first
  }

  /// How many objects a request would fetch.
  ///
  /// - Throws: as `fetch`.
  public func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
    let entity = try entity(of: request)
    if mergesChangesAutomatically { mergeAnnounced() }
    if try pendingEffect(on: request, entity) != .none { return try fetch(request).count }
    if let parent { return try parent.count(request) }
    do {
      var request = request
      request.sortKeys = []
      var translation = SQLTranslation(schema: store.schema, resolve: resolver)
      let clauses = try translation.clauses(request, entity, limit: request.limit, offset: request.offset)
      let statement = try prepared("SELECT count(*) FROM (SELECT 1 \(clauses))", translation.values)
      defer { statement.reset() }
      return try statement.step() ? Int(statement.int64(0)) : 0
    } catch let error as SQLiteError {
      throw failure(error, of: entity)
    }
  }

  /// How many objects of a class there are for which a condition holds.
  ///
  /// - Throws: as `fetch`.
  public func count<Object: ManagedObject>(
    _ type: Object.Type, where predicate: FetchPredicate<Object>? = nil
  ) throws -> Int {
    var request = FetchRequest<Object>()
    request.predicate = predicate
    return try count(request)
  }

  /// The identifiers of the objects that a request would fetch, in their order, without making objects.
  ///
  /// An object that is not saved yet has its temporary identifier. To learn what was saved elsewhere, or to hand objects to another
  /// context.
  /// - Throws: as `fetch`.
  public func identifiers<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [ObjectID] {
    let entity = try entity(of: request)
    if mergesChangesAutomatically { mergeAnnounced() }
    if try pendingEffect(on: request, entity) != .none { return try fetch(request).map(\.objectID) }
    if let parent { return try parent.identifiers(request) }
    do {
      var translation = SQLTranslation(schema: store.schema, resolve: resolver)
      let clauses = try translation.clauses(request, entity, limit: request.limit, offset: request.offset)
      let statement = try prepared("SELECT t.Z_PK, t.Z_ENT \(clauses)", translation.values)
      defer { statement.reset() }
      var identifiers: [ObjectID] = []
      while try statement.step() {
        guard let entity = store.schema.entity(numbered: statement.int64(1)),
          model.objectClass(of: entity) is Object.Type
        else { continue }
        identifiers.append(store.objectID(entity, key: statement.int64(0)))
      }
      return identifiers
    } catch let error as SQLiteError {
      throw failure(error, of: entity)
    }
  }

  // MARK: - Parts

  /// What a failure of SQLite in a request means.
  func failure(_ error: SQLiteError, of entity: EntityDescription) -> any Error {
    if error.isSumTooGreat {
      return ContextError.sumTooGreat(entity: entity.name)
    }
    return StoreError(.database(error), path: store.path)
  }

  /// Objects as those of a class; those of another class are left out.
  func typed<Object: ManagedObject>(_ objects: [ManagedObject], of entity: EntityDescription) -> [Object] {
    let areAll = entity.familyIndices.allSatisfy { model.objectClass(of: model.entities[$0]) is Object.Type }
    if !areAll { return objects.compactMap { $0 as? Object } }
    // Objects of an entity of the family are of the entity's class, and all these classes have just been looked at. Arrays
    // of references to classes differ in nothing but what they are declared to hold.
    return unsafeBitCast(objects, to: [Object].self)
  }

  func entity<Object>(of request: FetchRequest<Object>) throws(ContextError) -> EntityDescription {
    if let name = request.entityName {
      guard let entity = model.entity(named: name) else { throw .unknownEntity(name) }
      return entity
    }
    guard let entity = model.entity(for: Object.self) else { throw .unknownEntity(Object.entityName) }
    return entity
  }

  var resolver: PathResolver {
    { [unowned self] path, entity throws(ContextError) in
      try self.paths.resolve(path, from: entity, in: self.model)
    }
  }

  func prepared(_ sql: String, _ values: [AttributeValue]) throws -> Statement {
    let statement = try connection.cached(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }

  func select<Object>(
    _ request: FetchRequest<Object>, _ entity: EntityDescription, limit: Int?, offset: Int
  ) throws -> [ManagedObject] {
    if let parent {
      var request = request
      (request.limit, request.offset) = (limit, offset)
      return try parent.fetch(request).map { mirror($0) }
    }
    let plan = plan(for: entity)
    var translation = SQLTranslation(schema: store.schema, resolve: resolver)
    let clauses = try translation.clauses(request, entity, limit: limit, offset: offset)
    // Sorting takes all columns of all rows along, but only rows within the limit become objects.
    let isPacked = plan.canPack && request.sortKeys.isEmpty
    let statement = try prepared(
      "SELECT \(plan.selection(packed: isPacked)) \(clauses)", translation.values)
    defer { statement.reset() }
    var objects = ObjectList()
    var cursor = ObjectCursor(statement, plan, isPacked: isPacked, in: self, notices: true)
    while let object = try cursor.next() { objects.append(object) }
    return objects.takeAll()
  }
}
