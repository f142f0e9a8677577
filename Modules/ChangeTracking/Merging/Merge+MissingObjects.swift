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

extension Cells {
  /// - Parameter entity: empty for an object of which only the identifier is known.
  private func records(_ object: SyncID, _ entity: String) throws -> [ObjectRecord] {
    let roots: Set<EntityNumber> =
      entity.isEmpty
      ? Set(names.entities.map(\.root))
      : Set([names.existingNumber(of: entity).map { names[$0].root }].compactMap(\.self))
    return try roots.compactMap { root in try objects.find(object, root: root).map { self[$0] } }
  }

  func isKnown(_ object: SyncID, _ entity: String) throws -> Bool {
    let records = try records(object, entity)
    return !records.isEmpty && records.allSatisfy { $0.inserted != .zero }
  }

  func isParked(_ key: String, of object: SyncID, _ entity: String) throws -> Bool {
    try records(object, entity).contains { record in
      try self.entity(of: record).properties.contains { property in
        try property.name == key && parked.contains(RegisterID(object: record.id, bit: property.bit))
      }
    }
  }
}
