import CoreDataFormats

/// Attributes and relationships.
extension CompiledModelWriter {
  /// Bits of the key `_P`, as they go with the other keys of some thousand published descriptions.
  private enum PropertyBits {
    static let always = 0x01
    static let isOptional = 0x02
    static let isReadOnly = 0x04
    static let isTransient = 0x08
    static let hasNoValidation = 0x30
    static let hasNoUserInfo = 0x40
    static let hasNoVersionHashModifier = 0x80
    static let isOrdered = 0x400
  }

  mutating func define(_ attribute: AttributeDescription, at index: Int, of entity: EntityDescription) {
    var bits = 0
    var fields = commonFields(.attribute(attribute), of: entity, &bits)
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSAttributeValueClassName"] = .uid(text(attribute.type.valueClassName))
    fields["NSDefaultValue"] = .uid(reference(to: attribute.defaultValue.archived(type: attribute.type)))
    fields["NSValueTransformerName"] = .uid(text(attribute.transformerName))
    let flags = (attribute.allowsExternalStorage ? 4 : 0) + (attribute.preservesValueOnDeletion ? 16 : 0)
    fields["NSFlagsKey"] = .integer(Int64(flags))
    if attribute.isIndexed || entity.indexes.contains(where: { $0.properties == [attribute.name] }) {
      fields["NSIsIndexed"] = .boolean(true)
    }
    let predicates = validationPredicates(attribute)
    if predicates.isEmpty {
      bits |= PropertyBits.hasNoValidation
    } else {
      fields["NSValidationPredicates"] = .uid(collection(["NSArray"], predicates.map(\.predicate)))
      fields["NSValidationWarnings"] = .uid(collection(["NSArray"], predicates.map(\.warning)))
    }
    var classes = ["NSAttributeDescription", "NSPropertyDescription"]
    if let derivation = attribute.parsedDerivation {
      classes.insert("NSDerivedAttributeDescription", at: 0)
      bits |= PropertyBits.isReadOnly
      fields["NSIsReadOnly"] = .boolean(true)
      fields["NSFilteringPredicate"] = .uid(KeyedArchiveWriter.nothing)
      fields["NSDerivationExpression"] = .uid(expression(derivation))
    }
    fields["_P"] = .integer(Int64(bits))
    writer.define(properties[entity.index][index], classes, fields)
  }

  mutating func define(
    _ relationship: RelationshipDescription, at index: Int, of entity: EntityDescription
  ) {
    var bits = PropertyBits.hasNoValidation
    var fields = commonFields(.relationship(relationship), of: entity, &bits)
    let destination = relationship.destinationIndex
    fields["NSDestinationEntity"] = .uid(entities[destination])
    fields["_NSDestinationEntityName"] = .uid(text(relationship.destination))
    fields["NSInverseRelationship"] = .uid(
      relationship.inverseIndex.map { properties[destination][$0] } ?? KeyedArchiveWriter.nothing)
    fields["_NSInverseRelationshipName"] = .uid(text(relationship.inverse))
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    fields["NSMinCount"] = .integer(Int64(relationship.minimumCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maximumCount))
    if relationship.isOrdered {
      bits |= PropertyBits.isOrdered
      fields["NSIsOrdered"] = .boolean(true)
    }
    fields["_P"] = .integer(Int64(bits))
    writer.define(
      properties[entity.index][index], ["NSRelationshipDescription", "NSPropertyDescription"], fields)
  }

  private mutating func commonFields(
    _ property: PropertyDescription, of entity: EntityDescription, _ bits: inout Int
  ) -> [String: PropertyList] {
    var fields: [String: PropertyList] = [
      "NSPropertyName": .uid(text(property.name)), "NSEntity": .uid(entities[entity.index]),
      "NSRenamingIdentifier": .uid(text(property.renamingIdentifier ?? property.name)),
    ]
    bits |= PropertyBits.always
    if property.isOptional {
      bits |= PropertyBits.isOptional
      fields["NSIsOptional"] = .boolean(true)
    }
    if property.isTransient {
      bits |= PropertyBits.isTransient
      fields["NSIsTransient"] = .boolean(true)
    }
    if property.userInfo.isEmpty {
      bits |= PropertyBits.hasNoUserInfo
    } else {
      fields["NSUserInfo"] = .uid(writer.add(userInfo(property.userInfo)))
    }
    if let modifier = property.versionHashModifier {
      fields["NSVersionHashModifier"] = .uid(text(modifier))
    } else {
      bits |= PropertyBits.hasNoVersionHashModifier
    }
    return fields
  }

  /// A field's reference to a value; `nil` itself is none.
  private mutating func reference(to value: ArchivedObject) -> Reference {
    value == .null ? KeyedArchiveWriter.nothing : writer.add(value)
  }
}

extension AttributeType {
  /// The class that Core Data's compiler names for values of this type; none for those of a class of the application's.
  fileprivate var valueClassName: String? {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }
}
