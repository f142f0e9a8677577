/// A change that met an object which was not known, as long as it is not.
///
/// Sets come in batches and changes in slices, so only the end of a merge tells whether an object is missing.
struct MissingObject {
  let warning: SyncWarning
  let object: RecordID
}

extension Merge {
  /// The changes that still wait for an object nobody has inserted.
  func stillMissing() throws -> [MissingObject] {
    try missing.filter { try cells.objects[$0.object].inserted == .zero }
  }
}

extension SyncWarning.Kind {
  /// Whether an object that comes later makes the warning void.
  var isOfMissingObject: Bool {
    switch self {
    case .objectNotFoundForAttribute, .objectNotFoundForRelationship, .objectNotFoundForDeletion: true
    default: false
    }
  }
}

extension Replica {
  /// What still holds of the warnings and parked changes of several merges, now that all are done: what the first of them
  /// missed may have come with the last.
  package func unresolved(_ warnings: [SyncWarning], _ parked: [ParkedChange]) throws -> (
    warnings: [SyncWarning], parked: [ParkedChange]
  ) {
    guard !parked.isEmpty || warnings.contains(where: { $0.kind.isOfMissingObject || $0.kind == .parked })
    else { return (warnings, parked) }
    return try connection.transaction(.deferred) {
      let cells = try Cells(connection: connection, schema: store.schema)
      return (
        try warnings.filter { warning in
          guard let object = warning.object else { return true }
          if warning.kind == .parked {
            return try warning.key.map { try cells.isParked($0, of: object, warning.entity) } ?? true
          }
          return try !warning.kind.isOfMissingObject || !cells.isKnown(object, warning.entity)
        }, try parked.filter { try cells.isParked($0.key, of: $0.object, $0.entity) }
      )
    }
  }
}

extension Cells {
  /// - Parameter entity: empty for an object of which only the identifier is known.
  private func records(_ object: SyncID, _ entity: String) throws -> [ObjectRecord] {
    let roots: Set<EntityNumber> =
      entity.isEmpty
      ? Set(names.entities.map(\.root))
      : Set([names.existingNumber(of: entity).map { names[$0].root }].compactMap(\.self))
    return try roots.compactMap { root in try objects.find(object, root: root).map { self[$0] } }
  }

  fileprivate func isKnown(_ object: SyncID, _ entity: String) throws -> Bool {
    let records = try records(object, entity)
    return !records.isEmpty && records.allSatisfy { $0.inserted != .zero }
  }

  fileprivate func isParked(_ key: String, of object: SyncID, _ entity: String) throws -> Bool {
    try records(object, entity).contains { record in
      try self.entity(of: record).properties.contains { property in
        try property.name == key && parked.contains(RegisterID(object: record.id, bit: property.bit))
      }
    }
  }
}
