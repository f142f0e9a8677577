/// The objects that a request fetches, in sections, kept up to date.
///
/// ```swift
/// let results = try context.liveResults(
///   for: FetchRequest<Note>().sorted(by: \.title), sectionedBy: \.folder?.name)
/// for section in results.sections { … section.name, section.objects … }
/// for await changes in results.changes { … }
/// ```
/// Results follow the saves, merges and rollbacks of their context at once, and its unsaved changes when
/// ``ManagedObjectContext/processPendingChanges()`` is called. Most of the time only objects with changes are looked at; the
/// request is fetched again if it has a limit or if related objects that it looks at have changes. As everything of a
/// context, results are confined to its isolation domain.
public final class LiveResults<Object: ManagedObject> {
  /// Objects with the same value in what the results are sectioned by.
  public struct Section {
    /// The value.
    public let value: AttributeValue
    /// The objects in order.
    public let objects: [Object]

    /// The value as text; empty if there is none.
    public var name: String { value.text }
  }

  /// The context.
  public let context: ManagedObjectContext
  /// What is fetched; if there are sections, in their order first.
  public let request: FetchRequest<Object>
  /// Called after each change, when the sections are new already: for those who must not miss one, as a list on a screen.
  public var onChange: ((LiveChanges) -> Void)?

  private(set) var list: LiveList<Object>
  private let entity: EntityDescription
  private let reach: ConditionReach
  private var tracker = LiveTracker()
  private var streams: [Int: AsyncStream<LiveChanges>.Continuation] = [:]
  private var nextStream = 0

  init(_ request: FetchRequest<Object>, hasSections: Bool, context: ManagedObjectContext) throws {
    self.context = context
    self.request = request
    entity = try context.entity(of: request)
    reach = try context.reach(of: request, entity)
    list = LiveList([], order: SortOrder(request.sortKeys.map(\.direction)), hasSections: hasSections)
    list = try fetched()
    tracker.remember(context)
    context.addLiveResults(self)
  }

  deinit {
    for stream in streams.values { stream.finish() }
  }

  // MARK: - Reading

  /// All objects in order.
  public var objects: [Object] { list.entries.map(\.object) }

  /// Number of objects.
  public var count: Int { list.entries.count }

  /// Number of sections.
  public var sectionCount: Int { list.starts.count }

  /// The objects by section. Without sections, all objects are in one; there is none without objects.
  public var sections: [Section] { list.starts.indices.map { section($0) } }

  /// One section.
  ///
  /// - Precondition: `index` is less than ``sectionCount``, as for an array.
  public func section(_ index: Int) -> Section {
    Section(value: list.sectionValue(index), objects: list.entries[list.rows(of: index)].map(\.object))
  }

  /// The object at a place; `nil` if there is none.
  public subscript(position: LiveChanges.Position) -> Object? {
    guard list.starts.indices.contains(position.section), position.row >= 0 else { return nil }
    let rows = list.rows(of: position.section)
    return position.row < rows.count ? list.entries[rows.lowerBound + position.row].object : nil
  }

  /// Where an object is; `nil` if it is not among the results.
  public func position(of object: Object) -> LiveChanges.Position? {
    list.entries.firstIndex { $0.object === object }.map { list.position(of: $0) }
  }

  /// What changes from now on, change by change, until the iteration is cancelled or the results go.
  ///
  /// A reader that is late gets all changes one after another, while ``sections`` are always the newest.
  public var changes: AsyncStream<LiveChanges> {
    let (stream, continuation) = AsyncStream<LiveChanges>.makeStream()
    nextStream += 1
    streams[nextStream] = continuation
    return stream
  }

  // MARK: - Following

  private func fetched() throws -> LiveList<Object> {
    let evaluation = ConditionEvaluation(context)
    let entries = try context.fetch(request).map { try entry($0, evaluation) }
    return LiveList(entries, order: list.order, hasSections: list.hasSections)
  }

  private func entry(_ object: Object, _ evaluation: ConditionEvaluation) throws -> LiveList<Object>.Entry {
    .init(
      object: object,
      values: try request.sortKeys.map { try evaluation.value($0.operand, of: object, entity) },
      key: object.key)
  }

  private func publish(_ difference: LiveDifference<Object>) {
    list = difference.new
    let changes = difference.changes
    if changes.isEmpty { return }
    onChange?(changes)
    for (number, stream) in streams {
      if case .terminated = stream.yield(changes) { streams[number] = nil }
    }
  }
}

extension LiveResults: LiveUpdating {
  func noteMerged(_ changes: ObjectChanges) { tracker.noteMerged(changes, context) }

  func noteUnknownChanges() { tracker.hasUnknownChanges = true }

  func noteSaving() { tracker.noteSaving(context) }

  func update() throws {
    var dirty = tracker.take(context)
    if dirty.isEmpty { return }
    do {
      // Brought to memory with one statement for each kind of object.
      for (entity, identifiers) in dirty.merged {
        var request = FetchRequest<ManagedObject>(entity: entity.name)
        request.predicate = .object(isAmong: identifiers)
        for object in try context.fetch(request) { dirty.addMerged(object) }
      }
      publish(try difference(dirty))
    } catch {
      tracker.hasUnknownChanges = true
      throw error
    }
  }

  private func difference(_ dirty: LiveTracker.Dirty) throws -> LiveDifference<Object> {
    let updated = dirty.updated
    let isWide =
      dirty.isUnknown || request.limit != nil || request.offset > 0
      || dirty.objects.contains { reach.roots.contains($0.entity.rootIndex) }
    if !isWide { return try difference(dirty.objects, updated: updated) }
    return LiveDifference(comparing: list, with: try fetched()) {
      dirty.isUnknown || updated.contains(ObjectIdentifier($0))
    }
  }

  /// What becomes of the list when nothing but some objects can have changed.
  private func difference(
    _ changed: [ManagedObject], updated: Set<ObjectIdentifier>
  ) throws -> LiveDifference<Object> {
    let evaluation = ConditionEvaluation(context)
    var places: [ObjectIdentifier: Int] = [:]
    let identifiers = Set(changed.map { ObjectIdentifier($0) })
    for (index, entry) in list.entries.enumerated() where identifiers.contains(ObjectIdentifier(entry.object))
    {
      places[ObjectIdentifier(entry.object)] = index
    }
    var removals: [Int] = []
    var insertions: [(entry: LiveList<Object>.Entry, from: Int?)] = []
    for object in changed {
      guard let object = object as? Object, concerns(object) else { continue }
      let place = places[ObjectIdentifier(object)]
      if let place { removals.append(place) }
      if object.isDeleted || object.isGone || object.context !== context { continue }
      if let predicate = request.predicate, try !evaluation.holds(predicate.condition, for: object, entity) {
        continue
      }
      insertions.append((try entry(object, evaluation), place))
    }
    removals.sort()
    let (new, indices) = list.replacing(removals, with: insertions.map(\.entry))
    var difference = LiveDifference(old: list, new: new)
    let returning = Set(insertions.compactMap(\.from))
    difference.deleted = removals.filter { !returning.contains($0) }
    let sortedIndices = indices.sorted()
    var stayed: [(from: Int, to: Int)] = []
    for (index, insertion) in zip(indices, insertions) {
      guard let from = insertion.from else {
        difference.inserted.append(index)
        continue
      }
      // Where it is among those that were not looked at.
      let before = from - Self.count(below: from, in: removals)
      let after = index - Self.count(below: index, in: sortedIndices)
      if before != after { difference.moved.append((from, index)) } else { stayed.append((from, index)) }
    }
    difference.inserted.sort()
    difference.settle(stayed.sorted { $0.to < $1.to }) { updated.contains(ObjectIdentifier($0)) }
    return difference
  }

  private func concerns(_ object: ManagedObject) -> Bool {
    request.includesSubentities ? object.entity.isKind(of: entity) : object.entity === entity
  }

  private static func count(below bound: Int, in sorted: [Int]) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < bound { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
