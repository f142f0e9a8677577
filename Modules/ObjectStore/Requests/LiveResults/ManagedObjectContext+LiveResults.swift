/// Live results of any class.
protocol LiveUpdating: AnyObject {
  func noteMerged(_ changes: ObjectChanges)
  func noteUnknownChanges()
  func noteSaving()
  func update() throws
}

/// Holds live results as long as somebody else does.
struct WeakLiveResults {
  weak var results: (any LiveUpdating)?
}

extension ManagedObjectContext {
  /// Fetches objects and keeps the result up to date; see ``LiveResults``.
  ///
  /// - Throws: as `fetch`.
  public func liveResults<Object: ManagedObject>(for request: FetchRequest<Object>) throws
    -> LiveResults<Object>
  {
    try LiveResults(request, hasSections: false, context: self)
  }

  /// Fetches objects in sections, one for each value of a property, and keeps the result up to date; see ``LiveResults``.
  ///
  /// The sections are in the order of their values; in each, objects are in the order of the request.
  /// - Throws: as `fetch`.
  public func liveResults<Object: ManagedObject, Value: AttributeConvertible>(
    for request: FetchRequest<Object>, sectionedBy path: any PropertyKeyPath<Object, Value>,
    _ direction: FetchRequest<Object>.Direction = .ascending
  ) throws -> LiveResults<Object> {
    try liveResults(for: request, sectionedBy: .property(path), direction)
  }

  /// Fetches objects in sections, one for each value of an expression, and keeps the result up to date.
  ///
  /// - Throws: as `fetch`.
  public func liveResults<Object: ManagedObject, Value: AttributeConvertible>(
    for request: FetchRequest<Object>, sectionedBy expression: FetchExpression<Object, Value>,
    _ direction: FetchRequest<Object>.Direction = .ascending
  ) throws -> LiveResults<Object> {
    var request = request
    request.sortKeys.insert(.init(operand: expression.operand, direction: direction), at: 0)
    return try LiveResults(request, hasSections: true, context: self)
  }

  /// Brings live results up to date with the unsaved changes of this context. Saves, merges and rollbacks do it too.
  ///
  /// - Throws: as `fetch`. The results are then as they were, and catch up the next time.
  public func processPendingChanges() throws {
    if liveResults.isEmpty || isUpdatingLiveResults { return }
    isUpdatingLiveResults = true
    defer { isUpdatingLiveResults = false }
    hasStaleLiveResults = false
    liveResults.removeAll { $0.results == nil }
    do {
      for live in liveResults { try live.results?.update() }
    } catch {
      hasStaleLiveResults = true
      throw error
    }
  }

  /// Merges what others have committed to the store, and what they commit from then on, commit by commit, until the task is cancelled.
  ///
  /// Call it in a task of the context's isolation domain, so that live results follow without anybody fetching.
  public func mergeContinuously(isolation: isolated (any Actor)? = #isolation) async {
    let commits = store.changes
    // What was committed before this listened is announced to nobody again.
    mergePendingChanges()
    for await _ in commits { mergePendingChanges() }
  }

  // MARK: - For the context itself

  func addLiveResults(_ results: some LiveUpdating) {
    liveResults.append(WeakLiveResults(results: results))
  }

  /// Notes that something was committed. What exactly may be unknown.
  func noteForLiveResults(_ changes: ObjectChanges?) {
    if liveResults.isEmpty { return }
    hasStaleLiveResults = true
    for live in liveResults {
      if let changes { live.results?.noteMerged(changes) } else { live.results?.noteUnknownChanges() }
    }
  }

  /// Brings live results up to date where nothing can be thrown. After a failure to read they catch up the next time.
  func updateLiveResults() {
    do { try processPendingChanges() } catch { hasStaleLiveResults = true }
  }
}
