import TICDSSQLite

/// Goes through the rows of a statement and makes objects of them, or finds those that are in memory.
///
/// Everything here runs once for every object that is fetched. So the objects, the plan's entity and its slabs are not
/// counted on the way: the context holds on to the plan, the plan to the others.
///
/// A child's objects are made from those of the context that works on the store.
struct ObjectCursor {
  private let context: ManagedObjectContext
  private let statement: Statement
  private let plan: FetchPlan
  private let objects: KeyTable
  private let packer: Unmanaged<RowPacker>?
  private let isOfChild: Bool
  // Whether to look for foreign commits, once the transaction is open.
  private var notices: Bool

  /// - Parameters:
  ///   - statement: Selects what ``FetchPlan/selection(packed:)`` gives, and perhaps more behind it.
  ///   - isPacked: What was said to `selection`.
  ///   - notices: Whether to look for foreign commits at the first row.
  init(
    _ statement: Statement, _ plan: FetchPlan, isPacked: Bool, in context: ManagedObjectContext,
    notices: Bool = false
  ) {
    self.context = context
    self.statement = statement
    self.plan = plan
    objects = context.root.tables[plan.entity.rootIndex]
    packer = isPacked ? .passUnretained(context.packer) : nil
    isOfChild = context.parent != nil
    self.notices = notices
  }

  /// The object of the next row; `nil` if there is none. Rows of entities that the plan does not know are passed over.
  ///
  /// Values of an object that is in memory are replaced if the row is newer and nothing was changed here.
  @inline(never)
  mutating func next() throws(SQLiteError) -> ManagedObject? {
    while try step() {
      guard let entity = plan.received.entity else { continue }
      if let known = objects[plan.received.key] {
        // The store may have been changed into holding an object of another entity under the key.
        if known.isOf(entity) { return mirrored(updated(known)) }
        continue
      }
      return mirrored(plan.make(in: objects))
    }
    return nil
  }

  // Without looking for a parent each time.
  @inline(__always)
  private func mirrored(_ object: consuming ManagedObject) -> ManagedObject {
    isOfChild ? context.mirrorOfRoot(object) : object
  }

  @inline(__always)
  private mutating func step() throws(SQLiteError) -> Bool {
    let hasRow: Bool
    if let packer {
      packer._withUnsafeGuaranteedRef { $0.prepare(plan, objects) }
      hasRow = try statement.step()
    } else {
      hasRow = try statement.step()
      if hasRow { statement.withRow { plan.receive($0, objects) } }
    }
    if notices {
      notices = false
      context.noticeForeignCommits()
    }
    return hasRow
  }

  private func updated(_ known: ManagedObject) -> ManagedObject {
    // Without values it became a fault after the row was received, and reads them when they are asked for.
    if !plan.received.hasValues { return known }
    known.state.remove(.gone)
    let wasFault = known.isFault
    if !wasFault { known.toManys = [] }
    plan.fill(known)
    if wasFault { known.awakeFromFetch() }
    return known
  }
}
