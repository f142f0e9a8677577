extension SyncSchema {
  /// Refuses a model with a constraint that no merge could settle.
  ///
  /// - Throws: ``ReplicaError`` with `unsuitableModel`.
  func refuseUnsettledConstraints() throws {
    for entity in entities {
      if let constraint = entity.unsettledConstraints.first {
        throw ReplicaError.unsettledConstraint(entity: entity.name, properties: constraint)
      }
      for property in entity.uniqueness.joined() where entity[property].merge.isFolded {
        throw ReplicaError.uniqueFold(entity: entity.name, property: entity[property].name)
      }
    }
  }
}
