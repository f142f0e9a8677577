/// What to fetch: which objects, in which order, how many.
///
/// ```swift
/// let request = FetchRequest<Note>().where(\.title == "Shopping").sorted(by: \.modified, .descending).limit(10)
/// let notes = try context.fetch(request)
/// ```
public struct FetchRequest<Object: ManagedObject>: Sendable {
  /// The direction of a sort key.
  public enum Direction: Sendable, Hashable {
    /// Missing values first, then the least.
    case ascending
    /// The greatest first, missing values last.
    case descending
  }

  struct SortKey: Sendable {
    var operand: Operand
    var direction: Direction
  }

  var entityName: String?
  var predicate: FetchPredicate<Object>?
  var sortKeys: [SortKey] = []
  var prefetches: [PropertyPath] = []
  /// The greatest number of objects; `nil` is without limit, and less than 0 counts as 0.
  public var limit: Int? { didSet { limit = limit?.countOfRows } }
  /// How many objects to leave out from the beginning; less than 0 counts as 0.
  public var offset = 0 { didSet { offset = offset.countOfRows } }
  /// Whether unsaved changes of the context count. On by default.
  public var includesPendingChanges = true
  /// Whether objects of entities that inherit from the class's are fetched too. On by default.
  public var includesSubentities = true

  /// All objects of the class's entity.
  public init() {}

  /// All objects of the entity of this name; the class may be `ManagedObject`.
  public init(entity name: String) {
    entityName = name
  }

  /// Only objects for which the condition holds, besides any before.
  public consuming func `where`(_ predicate: FetchPredicate<Object>) -> FetchRequest {
    self.predicate = self.predicate.map { $0 && predicate } ?? predicate
    return self
  }

  /// In the order of a property, after any sort keys before.
  public consuming func sorted<Value: AttributeConvertible>(
    by path: any PropertyKeyPath<Object, Value>, _ direction: Direction = .ascending
  ) -> FetchRequest {
    sortKeys.append(SortKey(operand: .path(.keyPath(path)), direction: direction))
    return self
  }

  /// In the order of a property by name, after any sort keys before.
  public consuming func sorted(by name: PropertyName, _ direction: Direction = .ascending) -> FetchRequest {
    sortKeys.append(SortKey(operand: .path(.names(name.names)), direction: direction))
    return self
  }

  /// In the order of what an expression gives for each object, after any sort keys before.
  public consuming func sorted<Value: AttributeConvertible>(
    by expression: FetchExpression<Object, Value>, _ direction: Direction = .ascending
  ) -> FetchRequest {
    sortKeys.append(SortKey(operand: expression.operand, direction: direction))
    return self
  }

  /// With the objects that a relationship leads to in memory too, fetched for all objects at once.
  public consuming func prefetching<Value>(_ path: any KeyPath<Object, Value> & Sendable) -> FetchRequest {
    prefetches.append(.keyPath(path))
    return self
  }

  /// With the objects that a relationship of this name leads to in memory too, fetched for all objects at once.
  public consuming func prefetching(_ name: PropertyName) -> FetchRequest {
    prefetches.append(.names(name.names))
    return self
  }

  /// At most so many objects.
  public consuming func limit(_ count: Int) -> FetchRequest {
    limit = count
    return self
  }

  /// Without so many objects at the beginning.
  public consuming func offset(_ count: Int) -> FetchRequest {
    offset = count
    return self
  }
}

extension Int {
  /// A number of rows that sums with others, for callers may say any: no file has as many as the greatest.
  var countOfRows: Int { Swift.min(Swift.max(self, 0), 1 << 48) }
}
