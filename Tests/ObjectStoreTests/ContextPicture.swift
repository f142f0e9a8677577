import ObjectStore

extension ManagedObjectContext {
  /// All values and relationships of all objects as the context shows them, as text, by the object.
  func picture() throws -> [String: String] {
    var picture: [String: String] = [:]
    for entity in model.entities where entity.parent == nil {
      for object in try fetch(FetchRequest<ManagedObject>(entity: entity.name)) {
        let lines = object.entity.properties.map { property -> String in
          guard let relationship = property.asRelationship else {
            return "\(property.name): \(object[property.name])"
          }
          let others = object.others(relationship).map(\.objectID.description)
          return "\(property.name): \(relationship.isOrdered ? others : others.sorted())"
        }
        picture[object.objectID.description] = lines.joined(separator: "\n")
      }
    }
    return picture
  }
}

extension ManagedObject {
  /// Where a relationship leads.
  func others(_ relationship: RelationshipDescription) -> [ManagedObject] {
    relationship.isToMany
      ? members(relationship.name).map { $0 } : target(relationship.name).map { [$0] } ?? []
  }
}

extension ManagedObjectModel {
  /// A line for each relationship, for who reads why a walk has failed.
  var relationshipLines: [String] {
    entities.flatMap { entity in
      entity.properties.compactMap(\.asRelationship).map { relationship in
        "\(entity.name).\(relationship.name): \(relationship.destination)\(relationship.isToMany ? "*" : "") "
          + "inverse \(relationship.inverse ?? "-") \(relationship.isOrdered ? "ordered " : "")"
          + "\(relationship.isOptional ? "" : "required ")\(relationship.deleteRule)"
      }
    }
  }
}
