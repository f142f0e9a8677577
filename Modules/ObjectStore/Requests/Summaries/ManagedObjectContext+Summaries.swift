import TICDSSQLite

extension ManagedObjectContext {
  /// Fetches rows of values computed from objects. Unsaved changes of this context count, unless the request says otherwise;
  /// the objects are then fetched and computed with in memory.
  ///
  /// - Throws: ``ContextError`` if the request does not fit the model, ``StoreError`` if SQLite fails, for one if a sum of
  ///   whole numbers does not fit 64 bits.
  public func fetch<Object: ManagedObject, Row>(
    _ summary: SummaryRequest<Object, Row>
  ) throws -> [Row] {
    let entity = try entity(of: summary.request)
    if mergesChangesAutomatically { mergeAnnounced() }
    let plan = SummaryPlan(
      columns: summary.columns, condition: summary.condition, order: summary.order, limit: summary.limit,
      offset: summary.offset)
    let rows: [[AttributeValue]]
    do {
      var request = summary.request
      request.sortKeys = []
      request.limit = nil
      request.offset = 0
      var reach = try reach(of: request, entity)
      for operand in summary.columns + summary.order.map(\.operand) { try reach.add(operand, entity) }
      if let condition = summary.condition { try reach.add(condition, entity) }
      rows =
        if request.includesPendingChanges, hasPendingChanges(in: reach.roots.union([entity.rootIndex])) {
          try evaluate(plan, request, entity)
        } else {
          try select(plan, request, entity)
        }
    } catch let error as SQLiteError {
      throw failure(error, of: entity)
    }
    return rows.map { summary.decode($0, store) }
  }

  /// One value computed from objects, as in `value(of: .maximum(\.modified), from: FetchRequest<Note>())`.
  ///
  /// - Throws: as `fetch`.
  public func value<Object: ManagedObject, Value>(
    of aggregate: FetchExpression<GroupOf<Object>, Value>, from request: FetchRequest<Object>
  ) throws -> Value {
    try fetch(request.summarized(by: aggregate).limit(1)).first ?? aggregate.decode(.null, store)
  }

  private func evaluate<Object>(
    _ plan: SummaryPlan, _ request: FetchRequest<Object>, _ entity: EntityDescription
  ) throws -> [[AttributeValue]] {
    // What the store refuses is refused here as well.
    var translation = SQLTranslation(schema: store.schema, resolve: resolver)
    _ = try translation.sql(plan, request, entity)
    return try SummaryEvaluation(ConditionEvaluation(self), entity).rows(plan, of: fetch(request))
  }

  private func select<Object>(
    _ plan: SummaryPlan, _ request: FetchRequest<Object>, _ entity: EntityDescription
  ) throws -> [[AttributeValue]] {
    var translation = SQLTranslation(schema: store.schema, resolve: resolver)
    let sql = try translation.sql(plan, request, entity)
    let types = try plan.columns.map { try translation.type(of: $0, entity) }
    let statement = try prepared(sql, translation.values)
    defer { statement.reset() }
    var rows: [[AttributeValue]] = []
    while try statement.step() {
      rows.append(types.enumerated().map { $1.value(statement, at: $0, store.schema) })
    }
    return rows
  }
}

/// A summary without its Swift types.
struct SummaryPlan {
  let columns: [Operand]
  let condition: Condition?
  let order: [(operand: Operand, isAscending: Bool)]
  let limit: Int?
  let offset: Int

  /// The columns that tell groups apart.
  var keys: [Operand] { columns.filter { !$0.isAggregate } }
  /// Whether all objects make one group, even if there are none.
  var isWhole: Bool { keys.isEmpty }
}
