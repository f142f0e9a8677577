extension StoreFile {
  /// Checks everything that can be checked from outside, and calls `report` with what is found.
  ///
  /// The file, the bookkeeping of keys and entities, version hashes, every relationship and its inverse, missing and derived values.
  /// Keeps the keys of all objects in memory and the values that must be unique, and nothing else of them.
  ///
  /// - Throws: ``StoreError`` or ``BinaryStoreError`` where the store cannot be read at all, and what `report` throws.
  public func verify(_ report: (StoreFinding) throws -> Void) throws {
    // A derived model has names, not hashes; there is nothing to compare.
    if modelOrigin != .derived {
      for line in hashDifferences { try report(StoreFinding(.error, .versionHash, line)) }
    }
    try MetadataVerification(file: self).run(report)
    if let persistentStore { try TableVerification(store: persistentStore).run(report) }
    try ObjectVerification(file: self, source: objects()).run(report)
  }
}

/// Checks every object: its relationships lead to objects, inverses agree, required values are there.
private struct ObjectVerification {
  let file: StoreFile
  let source: any StoredObjectSource

  init(file: StoreFile, source: any StoredObjectSource) {
    self.file = file
    self.source = source
  }

  func run(_ report: (StoreFinding) throws -> Void) throws {
    var present: Set<StoredObject.Reference> = []
    var oneToOne: Set<StoredLink> = []
    try source.forEachObject(of: nil) { object in
      present.insert(object.reference)
      forEachDoubleEntry(of: object) { relationship, index, target in
        oneToOne.insert(StoredLink(from: object.reference, property: index, to: target))
      }
    }
    var repeated = RepeatedValues(file.model)
    try source.forEachObject(of: nil) { object in
      for repetition in repeated.find(object) {
        let names = repetition.properties.joined(separator: ", ")
        try report(
          StoreFinding(
            .error, .repeatedValue, object: file.uri(of: object.reference), property: names,
            "it must be unique, but \(file.uri(of: repetition.first)) has the same"))
      }
      try checkValues(of: object, report)
      try checkRelationships(of: object, present, report)
      try forEachDoubleEntry(of: object) { relationship, _, target in
        let entity = file.model.entities[target.entity]
        guard let inverse = entity.inverseIndex(of: relationship), present.contains(target),
          !oneToOne.contains(StoredLink(from: target, property: inverse, to: object.reference))
        else { return }
        try report(
          StoreFinding(
            .error, .inverse, object: file.uri(of: object.reference), property: relationship.name,
            "it leads to \(file.uri(of: target)), which does not lead back"))
      }
    }
  }

  /// Relationships whose both sides are stored, so that they can disagree: one-to-one everywhere, all in a store that is no database.
  private func forEachDoubleEntry(
    of object: StoredObject, _ body: (RelationshipDescription, Int, StoredObject.Reference) throws -> Void
  ) rethrows {
    let entity = file.model.entities[object.reference.entity]
    for (offset, targets) in object.relationships.enumerated() {
      let index = entity.attributeCount + offset
      guard let relationship = entity.relationship(at: index), relationship.inverse != nil,
        file.kind != .sqlite || !relationship.isToMany && !relationship.inverseIsToMany
      else { continue }
      for target in targets { try body(relationship, index, target) }
    }
  }

  private func checkValues(of object: StoredObject, _ report: (StoreFinding) throws -> Void) throws {
    let entity = file.model.entities[object.reference.entity]
    for index in object.missingFiles.indices {
      try report(
        StoreFinding(
          .error, .missingFile, object: file.uri(of: object.reference),
          property: entity.properties[index].name,
          "its value is kept in a file of its own, which is missing"))
    }
    for (index, property) in entity.properties.enumerated()
    where !property.isOptional && !property.isTransient {
      let isMissing: Bool
      if case .relationship(let relationship) = property {
        // Without a minimum count a to-many relationship may be empty whatever it says.
        let minimum = relationship.isToMany ? relationship.minimumCount : 1
        isMissing = object.relationships[index - entity.attributeCount].count < minimum
      } else {
        isMissing = object.attributes[index].isNull
      }
      guard isMissing else { continue }
      try report(
        StoreFinding(
          .warning, .missingValue, object: file.uri(of: object.reference), property: property.name,
          "it is not optional, but has too few values"))
    }
  }

  private func checkRelationships(
    of object: StoredObject, _ present: Set<StoredObject.Reference>, _ report: (StoreFinding) throws -> Void
  ) throws {
    let entity = file.model.entities[object.reference.entity]
    for (offset, targets) in object.relationships.enumerated() {
      if let relationship = entity.relationship(at: entity.attributeCount + offset), relationship.isToMany,
        relationship.maximumCount > 0, targets.count > relationship.maximumCount
      {
        try report(
          StoreFinding(
            .warning, .surplusMembers, object: file.uri(of: object.reference), property: relationship.name,
            "it leads to \(targets.count) objects, and \(relationship.maximumCount) are allowed"))
      }
      if targets.count > 1, Set(targets).count < targets.count {
        try report(
          StoreFinding(
            .error, .repeatedMember, object: file.uri(of: object.reference),
            property: entity.properties[entity.attributeCount + offset].name,
            "it leads to an object more than once"))
      }
      for target in targets where !present.contains(target) {
        try report(
          StoreFinding(
            .error, .danglingReference, object: file.uri(of: object.reference),
            property: entity.properties[entity.attributeCount + offset].name,
            "it leads to \(file.uri(of: target)), which is not in the store"))
      }
    }
  }
}
