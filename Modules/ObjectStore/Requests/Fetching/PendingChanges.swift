/// How unsaved changes bear on the result of a request.
enum PendingEffect: Equatable {
  /// Not at all: what the store says is right.
  case none
  /// These objects are to be looked at in memory, all others are as the store says.
  case objects([ManagedObject])
  /// Related objects have changes, so the store's answer may be wrong for any object.
  case everything([ManagedObject])
}

extension ManagedObjectContext {
  func pendingEffect<Object>(
    on request: FetchRequest<Object>, _ entity: EntityDescription
  ) throws(ContextError) -> PendingEffect {
    if !request.includesPendingChanges || !hasChanges { return .none }
    let reach = try reach(of: request, entity)
    var pending: [ManagedObject] = []
    for position in insertedIndex.positions(below: entity.rootIndex, in: inserted) {
      let object = inserted[position]
      if object.isInserted, concerns(object, entity, request) { pending.append(object) }
    }
    for object in updated where !object.isDeleted && concerns(object, entity, request) {
      pending.append(object)
    }
    for object in deleted where concerns(object, entity, request) { pending.append(object) }
    if reach.includesMembers {
      for object in touched where object.state.isDisjoint(with: [.inserted, .updated, .deleted, .gone]) {
        if concerns(object, entity, request) { pending.append(object) }
      }
    }
    if hasPendingChanges(in: reach.roots) { return .everything(pending) }
    return pending.isEmpty ? .none : .objects(pending)
  }

  /// Whether objects of some entities have changes that the store does not have, those of parents included; the entities are given by those at the top of them.
  func hasPendingChanges(in roots: Set<Int>) -> Bool {
    if roots.isEmpty { return false }
    let areHere = [inserted, updated, deleted, touched].contains { changed in
      changed.contains { roots.contains($0.entity.rootIndex) }
    }
    return areHere || parent?.hasPendingChanges(in: roots) == true
  }

  func reach<Object>(
    of request: FetchRequest<Object>, _ entity: EntityDescription
  ) throws(ContextError) -> ConditionReach {
    var reach = ConditionReach(self)
    if let condition = request.predicate?.condition { try reach.add(condition, entity) }
    for key in request.sortKeys { try reach.add(key.operand, entity) }
    return reach
  }

  private func concerns<Object>(
    _ object: ManagedObject, _ entity: EntityDescription, _ request: FetchRequest<Object>
  ) -> Bool {
    request.includesSubentities ? object.entity.isKind(of: entity) : object.entity === entity
  }

  /// Everything that a request would fetch if there were no limit and offset, in order, with unsaved changes put over what the
  /// store gives.
  func mergePending<Object>(
    _ effect: PendingEffect, _ request: FetchRequest<Object>, _ entity: EntityDescription
  ) throws -> [ManagedObject] {
    // What the store refuses is refused here as well.
    if parent == nil {
      var translation = SQLTranslation(schema: store.schema, resolve: resolver)
      _ = try translation.clauses(request, entity, limit: nil, offset: 0)
    }
    switch effect {
    case .none: return try select(request, entity, limit: nil, offset: 0)
    case .objects(let pending):
      // As many more as may drop out because of what was changed here.
      let limit = request.limit.map { $0 + request.offset + pending.count }
      let stored = try select(request, entity, limit: limit, offset: 0)
      return try merge(stored, pending, request, entity)
    case .everything(let pending):
      var candidates = request
      candidates.predicate = try request.predicate.flatMap { try ownPart(of: $0.condition, entity) }.map {
        FetchPredicate($0)
      }
      candidates.sortKeys = []
      let changed = Set(pending.map { ObjectIdentifier($0) })
      let stored = try select(candidates, entity, limit: nil, offset: 0).filter {
        !changed.contains(ObjectIdentifier($0))
      }
      try prefetch(
        reach(of: request, entity).firstSteps.sorted().map { .names([$0]) }, of: stored, entity)
      return try merge([], stored + pending, request, entity)
    }
  }

  /// The part of a condition that looks at nothing but the objects themselves, so that the store answers it for all objects
  /// without changes.
  private func ownPart(
    of condition: Condition, _ entity: EntityDescription
  ) throws(ContextError) -> Condition? {
    if case .all(let parts) = condition {
      var own: [Condition] = []
      for part in parts {
        if let part = try ownPart(of: part, entity) { own.append(part) }
      }
      return own.isEmpty ? nil : .all(own)
    }
    var reach = ConditionReach(self)
    try reach.add(condition, entity)
    return reach.roots.isEmpty ? condition : nil
  }

  /// Whether an object with changed members alone is still in the store, or with the parent: without a row there is nothing of it to be found.
  private func isThere(_ object: ManagedObject) -> Bool {
    guard let parent else { return hasRow(object) }
    return original(of: object).map(parent.isAlive) ?? false
  }

  /// Puts objects that are looked at in memory over what the store gave.
  private func merge<Object>(
    _ stored: [ManagedObject], _ pending: [ManagedObject], _ request: FetchRequest<Object>,
    _ entity: EntityDescription
  ) throws -> [ManagedObject] {
    let evaluation = ConditionEvaluation(self)
    let changed = Set(pending.map { ObjectIdentifier($0) })
    var result = stored.filter { !changed.contains(ObjectIdentifier($0)) }
    for object in pending where !object.isDeleted && (!object.hasChangedMembersOnly || isThere(object)) {
      if let predicate = request.predicate, try !evaluation.holds(predicate.condition, for: object, entity) {
        continue
      }
      result.append(object)
    }
    if request.sortKeys.isEmpty { return result }
    let order = SortOrder(request.sortKeys.map(\.direction))
    var keyed: [(object: ManagedObject, values: [AttributeValue])] = []
    for object in result {
      keyed.append(
        (object, try request.sortKeys.map { try evaluation.value($0.operand, of: object, entity) }))
    }
    keyed.sort { order.precedes($0.values, $0.object.key, $1.values, $1.object.key) }
    return keyed.map(\.object)
  }
}

/// The order of objects by the values of their sort keys.
struct SortOrder {
  private let isAscending: [Bool]

  init<Object>(_ directions: [FetchRequest<Object>.Direction]) {
    isAscending = directions.map { $0 == .ascending }
  }

  /// Whether an object comes before another; each is given by its values and its key.
  func precedes(
    _ left: [AttributeValue], _ leftKey: Int64, _ right: [AttributeValue], _ rightKey: Int64
  ) -> Bool {
    for (position, isAscending) in isAscending.enumerated() {
      if left[position].precedes(right[position]) { return isAscending }
      if right[position].precedes(left[position]) { return !isAscending }
    }
    // New objects come after all others, in the order of their insertion.
    switch (leftKey > 0, rightKey > 0) {
    case (true, true): return leftKey < rightKey
    case (true, false): return true
    case (false, true): return false
    case (false, false): return leftKey > rightKey
    }
  }
}
