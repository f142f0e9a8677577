import TICDSSQLite

extension ManagedObjectContext {
  // SQLite admits 32,766 parameters; a few hundred keys make a statement worth its while.
  private static let chunk = 500

  /// An object of which the members are being fetched.
  private struct Owner {
    let object: ManagedObject
    let index: Int
    private(set) var members: [ManagedObject] = []

    init(object: ManagedObject, index: Int) {
      self.object = object
      self.index = index
    }

    /// Mostly all of them come at once, and need not be copied then.
    mutating func add(_ others: [ManagedObject]) {
      if members.isEmpty { members = others } else { members += others }
    }
  }

  /// Brings the objects that relationships lead to into memory, with few statements for many objects.
  func prefetch(_ paths: [PropertyPath], of objects: [ManagedObject], _ entity: EntityDescription) throws {
    // Its parent has done so.
    if parent != nil { return }
    for path in paths {
      let resolved = try self.paths.resolve(path, from: entity, in: model)
      guard resolved.indices.count == 1, let relationship = resolved.property.asRelationship else {
        throw ContextError.unknownProperty(entity: entity.name, property: resolved.property.name)
      }
      var start = 0
      while start < objects.count {
        let end = min(start + Self.chunk, objects.count)
        try prefetch(relationship, of: objects[start..<end])
        start = end
      }
    }
  }

  private func prefetch(_ relationship: RelationshipDescription, of objects: ArraySlice<ManagedObject>) throws
  {
    let plan = plan(for: model.entities[relationship.destinationIndex])
    if !relationship.isToMany { return try prefetchTargets(relationship, of: objects, plan) }
    // By key, those of which the members are not in memory yet.
    var waiting: [Int64: Owner] = [:]
    for object in objects where object.key > 0 {
      guard let index = object.entity.index(of: relationship.name), let state = object.toManyState(at: index),
        !state.isLoaded
      else { continue }
      waiting[object.key] = Owner(object: object, index: index)
    }
    guard let first = waiting.values.first else { return }
    switch store.schema.table(of: first.object.entity).storage[first.index] {
    case .inverse(let destination, let property):
      guard case .toOne(let columns) = store.schema.tables[destination].storage[property] else { return }
      let order = relationship.isOrdered ? columns.order.map { " ORDER BY t.\(quote($0)), t.Z_PK" } ?? "" : ""
      let kind = plan.entityCondition(alias: "t").map { " AND \($0)" } ?? ""
      let isPacked = plan.canPack && order.isEmpty
      try collect(
        "SELECT \(plan.selection(packed: isPacked)), t.\(quote(columns.key)) FROM \(quote(plan.table.name)) t WHERE t.\(quote(columns.key))",
        kind + order, plan, isPacked, &waiting)
    case .join(let side):
      let order = side.orderColumn.map { " ORDER BY j.\(quote($0)), t.Z_PK" } ?? ""
      let isPacked = plan.canPack && order.isEmpty
      try collect(
        """
        SELECT \(plan.selection(packed: isPacked)), j.\(quote(side.ownColumn)) FROM \(quote(side.table.name)) j \
        JOIN \(quote(plan.table.name)) t ON t.Z_PK = j.\(quote(side.memberColumn)) WHERE j.\(quote(side.ownColumn))
        """, order, plan, isPacked, &waiting)
    case .memory, .attribute, .toOne: return
    }
    for owner in waiting.values {
      guard let state = owner.object.toManyState(at: owner.index) else { continue }
      state.isLoaded = true
      overlay(owner.members, on: state, of: owner.object, relationship)
    }
  }

  /// Runs a query whose last column is the key of the object that a row's object is a member of.
  private func collect(
    _ head: String, _ tail: String, _ plan: FetchPlan, _ isPacked: Bool,
    _ waiting: inout [Int64: Owner]
  ) throws {
    let marks = Array(repeating: "?", count: waiting.count).joined(separator: ", ")
    let statement = try connection.cached("\(head) IN (\(marks))\(tail)")
    for (position, key) in waiting.keys.sorted().enumerated() { try statement.bind(key, at: position + 1) }
    defer { statement.reset() }
    let owner = statement.columnCount - 1
    var current: Int64 = 0
    var members = ObjectList()
    var cursor = ObjectCursor(statement, plan, isPacked: isPacked, in: self)
    while let member = try cursor.next() {
      let key = statement.int64(owner)
      if key != current {
        waiting[current]?.add(members.takeAll())
        current = key
      }
      members.append(member)
    }
    waiting[current]?.add(members.takeAll())
  }

  private func prefetchTargets(
    _ relationship: RelationshipDescription, of objects: ArraySlice<ManagedObject>, _ plan: FetchPlan
  ) throws {
    var keys: Set<Int64> = []
    for object in objects {
      guard let index = object.entity.index(of: relationship.name),
        case .reference(_, let key) = object.value(at: index), key > 0
      else { continue }
      if tables[plan.entity.rootIndex][key]?.isFault ?? true { keys.insert(key) }
    }
    if keys.isEmpty { return }
    let marks = Array(repeating: "?", count: keys.count).joined(separator: ", ")
    let statement = try connection.cached(
      """
      SELECT \(plan.selection(packed: plan.canPack)) FROM \(quote(plan.table.name)) t \
      WHERE t.Z_PK IN (\(marks))
      """)
    for (position, key) in keys.sorted().enumerated() { try statement.bind(key, at: position + 1) }
    defer { statement.reset() }
    var cursor = ObjectCursor(statement, plan, isPacked: plan.canPack, in: self)
    while let target = try cursor.next() { prefetched.append(target) }
  }
}
