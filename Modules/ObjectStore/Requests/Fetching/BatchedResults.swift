import TICDSSQLite

/// The result of a request of which one batch is in memory at a time; see ``ManagedObjectContext/fetchBatched(_:size:)``.
///
/// A collection of as many objects as were found; an object is fetched, with the others of its batch, when it is first used,
/// and let go when another batch comes. What is deleted afterwards stays in its place as an object that is gone.
public final class BatchedResults<Object: ManagedObject>: RandomAccessCollection {
  private let context: ManagedObjectContext
  private let entity: EntityDescription
  private let keys: [Int64]
  // Objects that have no row to be fetched from: new ones, and those of a child context.
  private let held: [Int64: Object]
  private let size: Int
  private let sql: String
  private var batch: [Object] = []
  private var batchStart = -1

  init(
    context: ManagedObjectContext, entity: EntityDescription, keys: [Int64], held: [Int64: Object] = [:],
    size: Int
  ) {
    self.held = held
    self.context = context
    self.entity = entity
    self.keys = keys
    self.size = Swift.max(1, size)
    let plan = context.plan(for: entity)
    let marks = Array(repeating: "?", count: self.size).joined(separator: ", ")
    sql = """
      SELECT \(plan.selection(packed: plan.canPack)) FROM \(quote(plan.table.name)) t \
      WHERE t.Z_PK IN (\(marks))
      """
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// Number of objects.
  public var endIndex: Int { keys.count }

  /// The object at a position, fetched with its batch if it is not in memory.
  public subscript(position: Int) -> Object {
    let start = position / size * size
    if start != batchStart { load(start) }
    return batch[position - start]
  }

  private func load(_ start: Int) {
    let all = keys[start..<Swift.min(start + size, keys.count)]
    let keys = all.filter { held[$0] == nil }
    // The old batch goes first, so that never more than one is held.
    batch = []
    // Holds on to the objects until they are in the batch.
    var found: [ManagedObject] = []
    found.reserveCapacity(keys.count)
    do {
      let plan = context.plan(for: entity)
      let statement = try context.connection.cached(sql)
      for (position, key) in keys.enumerated() { try statement.bind(key, at: position + 1) }
      defer { statement.reset() }
      var cursor = ObjectCursor(statement, plan, isPacked: plan.canPack, in: context)
      while let object = try cursor.next() { found.append(object) }
    } catch {
      context.noteReadFailure(error)
    }
    batch.reserveCapacity(all.count)
    for key in all {
      if let object = held[key] {
        batch.append(object)
        continue
      }
      batch.append((context.tables[entity.rootIndex][key] as? Object) ?? context.absent(entity, Object.self))
    }
    batchStart = start
  }
}

extension ManagedObjectContext {
  /// Fetches the keys of all objects, and the objects batch by batch when they are used: for results of any size.
  ///
  /// Unsaved changes of the context count, unless the request says otherwise. Where they bear on the request, and in a child context, its objects
  /// are fetched once to find out which they are.
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - size: Objects per batch, 1 to 10,000.
  /// - Throws: as `fetch`.
  public func fetchBatched<Object: ManagedObject>(
    _ request: FetchRequest<Object>, size: Int = 100
  ) throws -> BatchedResults<Object> {
    let entity = try entity(of: request)
    if mergesChangesAutomatically { mergeAnnounced() }
    if try parent != nil || pendingEffect(on: request, entity) != .none {
      let objects = try fetch(request)
      let held = objects.filter { parent != nil || $0.key <= 0 }
      return BatchedResults(
        context: self, entity: entity, keys: objects.map(\.key),
        held: Dictionary(held.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first }),
        size: min(size, 10_000))
    }
    do {
      var translation = SQLTranslation(schema: store.schema, resolve: resolver)
      let clauses = try translation.clauses(request, entity, limit: request.limit, offset: request.offset)
      let statement = try prepared("SELECT t.Z_PK \(clauses)", translation.values)
      defer { statement.reset() }
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.int64(0)) }
      return BatchedResults(context: self, entity: entity, keys: keys, size: min(size, 10_000))
    } catch let error as SQLiteError {
      throw failure(error, of: entity)
    }
  }

  /// An object that stands for one without a row.
  func absent<Object: ManagedObject>(_ entity: EntityDescription, _ type: Object.Type) -> Object {
    let object = model.instantiationScope(for: entity).make(
      type, Instantiation(entity: entity, table: nil, key: 0, state: .gone))
    object.values = ContiguousArray(repeating: .null, count: entity.valueCount)
    return object
  }

  /// Keeps the first failure to read that happened where nothing can be thrown; the next save reports it.
  func noteReadFailure(_ error: any Error) {
    if let error = error as? SQLiteError, readFailure == nil { readFailure = error }
  }
}
