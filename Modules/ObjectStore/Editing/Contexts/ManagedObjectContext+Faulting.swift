import TICDSSQLite

extension ManagedObjectContext {
  func plan(for entity: EntityDescription) -> FetchPlan {
    if let known = plans[entity.index] { return known }
    let plan = FetchPlan(entity: entity, schema: store.schema)
    plans[entity.index] = plan
    return plan
  }

  /// Brings the values of a fault to memory. Without a row, or if the store cannot be read, its values become null, it is
  /// marked as gone, and the next save reports what happened.
  func fulfil(_ object: ManagedObject) {
    if parent != nil, fulfilFromParent(object) { return object.awakeFromFetch() }
    if parent == nil, fulfilFromStore(object) { return object.awakeFromFetch() }
    object.values = ContiguousArray(repeating: .null, count: object.entity.valueCount)
    object.row = nil
    object.state.remove(.fault)
    object.state.insert(.gone)
  }

  /// The key of the row that a to-one relationship leads to in the store, whatever is in memory; `nil` if there is none, or it cannot be read,
  /// which the next save reports.
  func storedReference(of object: ManagedObject, at index: Int) -> Int64? {
    let table = store.schema.table(of: object.entity)
    guard table.storage.indices.contains(index), case .toOne(let columns) = table.storage[index] else {
      return nil
    }
    do {
      let statement = try connection.cached(
        "SELECT \(quote(columns.key)) FROM \(quote(table.name)) WHERE Z_PK = ?")
      try statement.bind(object.key, at: 1)
      defer { statement.reset() }
      return try statement.step() ? statement.optionalInt64(0) : nil
    } catch {
      noteReadFailure(error)
      return nil
    }
  }

  /// Whether the store has a row of an object; also if it cannot be read, which the next save reports.
  func hasRow(_ object: ManagedObject) -> Bool {
    do {
      let statement = try connection.cached(
        "SELECT 1 FROM \(quote(store.schema.table(of: object.entity).name)) WHERE Z_PK = ?")
      try statement.bind(object.key, at: 1)
      defer { statement.reset() }
      return try statement.step()
    } catch {
      noteReadFailure(error)
      return true
    }
  }

  private func fulfilFromStore(_ object: ManagedObject) -> Bool {
    do {
      let plan = plan(for: object.entity)
      let statement = try connection.cached(
        "SELECT \(plan.columns) FROM \(quote(plan.table.name)) t WHERE t.Z_PK = ?")
      try statement.bind(object.key, at: 1)
      defer { statement.reset() }
      guard try statement.step() else { return false }
      statement.withRow { plan.receive($0, tables[object.entity.rootIndex]) }
      guard let entity = plan.received.entity, object.isOf(entity) else { return false }
      plan.fill(object)
      return true
    } catch {
      noteReadFailure(error)
      return false
    }
  }

  /// Brings the members of a to-many relationship to memory and puts unsaved changes on top.
  func load(_ state: ToManyState, of object: ManagedObject, at index: Int) {
    state.isLoaded = true
    // Only reading makes SQLite look what others have written.
    defer { state.version = connection.dataVersion }
    guard let relationship = object.entity.relationship(at: index), object.key > 0 || parent != nil else {
      return
    }
    var members: [ManagedObject] = []
    do {
      members =
        parent != nil
        ? storedMembersOfParent(object, at: index) : try storedMembers(of: object, at: index, relationship)
    } catch {
      noteReadFailure(error)
    }
    overlay(members, on: state, of: object, relationship)
  }

  func overlay(
    _ stored: [ManagedObject], on state: ToManyState, of object: ManagedObject,
    _ relationship: RelationshipDescription
  ) {
    guard hasChanges else {
      state.members = MemberList(stored)
      return
    }
    // Where the members hold the relationship, who leads elsewhere is none, whatever was noted on this side.
    let isHeldByMembers = relationship.inverse != nil && !relationship.inverseIsToMany
    func isMember(_ member: ManagedObject) -> Bool {
      guard isHeldByMembers, let inverse = member.entity.inverseIndex(of: relationship) else { return true }
      return member.target(at: inverse) === object
    }
    var members = stored.filter {
      !$0.isDeleted && state.removed[ObjectIdentifier($0)] == nil && isMember($0)
    }
    let present = Set(members.map { ObjectIdentifier($0) })
    let added = state.added.filter {
      !present.contains($0.key) && !$0.value.isDeleted && !$0.value.isGone && isMember($0.value)
    }
    members += added.values.sorted { $0.key > $1.key }
    state.load(members)
  }

  private func storedMembers(
    of object: ManagedObject, at index: Int, _ relationship: RelationshipDescription
  ) throws -> [ManagedObject] {
    let plan = plan(for: model.entities[relationship.destinationIndex])
    let table = quote(plan.table.name)
    let sql: String
    var isPacked = plan.canPack
    switch store.schema.table(of: object.entity).storage[index] {
    case .inverse(let destination, let property):
      guard case .toOne(let columns) = store.schema.tables[destination].storage[property] else { return [] }
      let order = relationship.isOrdered ? columns.order.map { " ORDER BY t.\(quote($0)), t.Z_PK" } ?? "" : ""
      let kind = plan.entityCondition(alias: "t").map { " AND \($0)" } ?? ""
      isPacked = isPacked && order.isEmpty
      sql =
        "SELECT \(plan.selection(packed: isPacked)) FROM \(table) t WHERE t.\(quote(columns.key)) = ?\(kind)\(order)"
    case .join(let side):
      let order = side.orderColumn.map { " ORDER BY j.\(quote($0)), t.Z_PK" } ?? ""
      isPacked = isPacked && order.isEmpty
      sql = """
        SELECT \(plan.selection(packed: isPacked)) FROM \(quote(side.table.name)) j JOIN \(table) t ON t.Z_PK = j.\(quote(side.memberColumn)) \
        WHERE j.\(quote(side.ownColumn)) = ?\(order)
        """
    case .memory, .attribute, .toOne: return []
    }
    let statement = try connection.cached(sql)
    try statement.bind(object.key, at: 1)
    var members: [ManagedObject] = []
    defer { statement.reset() }
    var cursor = ObjectCursor(statement, plan, isPacked: isPacked, in: self)
    while let member = try cursor.next() { members.append(member) }
    return members
  }
}
