/// What a store answers, with a clear error where it names an entity that its schema does not have: it would be taken for a
/// position in tables that are made of the schema.
extension LocalStore {
  /// ``identity(of:below:)``.
  func checkedIdentity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    let identity = try identity(of: row, below: root)
    if let identity { try check(identity.entity, row) }
    return identity
  }

  /// ``members(of:)``.
  func checkedMembers(of list: OrderedList) throws -> [RowReference] {
    let members = try members(of: list)
    for member in members { try check(member.entity, member.row) }
    return members
  }

  /// ``row(_:with:)``.
  func checkedRow(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? {
    let found = try row(entity, with: values)
    if let found { try check(found.entity, found.row) }
    return found
  }

  private func check(_ entity: LocalEntity, _ row: RowNumber) throws(ReplicaError) {
    if schema.entities.indices.contains(entity.rawValue) { return }
    throw ReplicaError.unknownEntity(
      path: connection.path,
      "The store says that row \(row.rawValue) is of entity \(entity.rawValue), but its schema has \(schema.entities.count)."
    )
  }
}
