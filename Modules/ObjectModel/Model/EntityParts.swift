/// Everything that an entity is made from, once its place in the model is known.
struct EntityParts {
  var declaration: EntityDeclaration
  var index: Int
  var parent: EntityDescription?
  var subentityIndices: [Int]
  var familyIndices: [Int]
  var properties: [PropertyDescription]
  var versionHash: [UInt8]
}

/// Which properties of an entity a save has to look at, so that it can pass over all others.
package struct SaveChecks: Sendable {
  /// Slots that must not be null.
  package var required: [Int] = []
  /// Attributes with a validation of their own.
  package var validated: [Int] = []
  /// To-many relationships with counts.
  package var counted: [Int] = []
  /// The types of the attributes by index; a description is dear to copy.
  package var types: [AttributeType] = []
  /// By index of the property: whether it lives in memory only.
  package var areTransient: [Bool] = []

  init(_ properties: [PropertyDescription]) {
    types = properties.compactMap { $0.asAttribute?.type }
    areTransient = properties.map(\.isTransient)
    for (index, property) in properties.enumerated() {
      switch property {
      case .attribute(let attribute):
        if attribute.isTransient { continue }
        if !attribute.isOptional { required.append(index) }
        if !attribute.validation.isEmpty { validated.append(index) }
      case .relationship(let relationship):
        if relationship.isTransient { continue }
        if !relationship.isToMany, !relationship.isOptional {
          required.append(index)
        } else if relationship.isToMany,
          !relationship.isOptional || relationship.minimumCount > 0 || relationship.maximumCount > 0
        {
          counted.append(index)
        }
      }
    }
  }
}
