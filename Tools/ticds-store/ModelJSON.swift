import CommandLineTool
import ObjectStore
import StoreAccess

/// A model as JSON.
enum ModelJSON {
  static func json(_ model: ManagedObjectModel) -> JSONValue {
    [
      "versionIdentifiers": versionIdentifiers(model),
      "entities": .array(model.entities.map(entity)),
    ]
  }

  static func versionIdentifiers(_ model: ManagedObjectModel) -> JSONValue {
    .array(model.versionIdentifiers.map { .string($0) })
  }

  static func entity(_ entity: EntityDescription) -> JSONValue {
    let own = entity.properties.filter { entity.ownPropertyNames.contains($0.name) }
    return [
      "name": .string(entity.name), "parent": text(entity.parent?.name),
      "abstract": .boolean(entity.isAbstract),
      "class": text(entity.className), "renamingIdentifier": text(entity.renamingIdentifier),
      "versionHash": .string(HashCommand.hexadecimal(entity.versionHash)),
      "attributes": .array(own.compactMap(\.asAttribute).map(attribute)),
      "relationships": .array(own.compactMap(\.asRelationship).map(relationship)),
      "uniquenessConstraints": .array(
        entity.ownUniquenessConstraints.map { .array($0.map { .string($0) }) }),
      "indexes": .array(entity.indexes.map(index)), "versionHashModifier": text(entity.versionHashModifier),
      "userInfo": userInfo(entity.userInfo),
    ]
  }

  static func property(_ property: PropertyDescription) -> JSONValue {
    switch property {
    case .attribute(let attribute): self.attribute(attribute)
    case .relationship(let relationship): self.relationship(relationship)
    }
  }

  private static func attribute(_ attribute: AttributeDescription) -> JSONValue {
    [
      "name": .string(attribute.name), "type": .string("\(attribute.type)"),
      "optional": .boolean(attribute.isOptional), "transient": .boolean(attribute.isTransient),
      "indexed": .boolean(attribute.isIndexed), "externalStorage": .boolean(attribute.allowsExternalStorage),
      "default": ValueJSON.json(attribute.defaultValue, attribute.type),
      "preservedOnDeletion": .boolean(attribute.preservesValueOnDeletion),
      "validation": validation(attribute), "derivation": text(attribute.derivation),
      "transformer": text(attribute.transformerName),
      "renamingIdentifier": text(attribute.renamingIdentifier),
      "versionHashModifier": text(attribute.versionHashModifier),
      "userInfo": userInfo(attribute.userInfo),
    ]
  }

  private static func relationship(_ relationship: RelationshipDescription) -> JSONValue {
    [
      "name": .string(relationship.name), "destination": .string(relationship.destination),
      "inverse": text(relationship.inverse), "toMany": .boolean(relationship.isToMany),
      "ordered": .boolean(relationship.isOrdered), "optional": .boolean(relationship.isOptional),
      "transient": .boolean(relationship.isTransient), "deleteRule": .string("\(relationship.deleteRule)"),
      "minimumCount": .integer(Int64(relationship.minimumCount)),
      "maximumCount": relationship.maximumCount == 0 ? .null : .integer(Int64(relationship.maximumCount)),
      "renamingIdentifier": text(relationship.renamingIdentifier),
      "versionHashModifier": text(relationship.versionHashModifier),
      "userInfo": userInfo(relationship.userInfo),
    ]
  }

  private static func index(_ index: IndexDescription) -> JSONValue {
    [
      "name": .string(index.name), "properties": .array(index.properties.map { .string($0) }),
      "descending": .array(index.descending.sorted().map { .string($0) }),
    ]
  }

  /// Only what is limited.
  private static func validation(_ attribute: AttributeDescription) -> JSONValue {
    let rules = attribute.validation
    let limits: [(String, JSONValue?)] = [
      ("minimum", rules.minimum.map { ValueJSON.json($0, attribute.type) }),
      ("maximum", rules.maximum.map { ValueJSON.json($0, attribute.type) }),
      ("minimumLength", rules.minimumLength.map { .integer(Int64($0)) }),
      ("maximumLength", rules.maximumLength.map { .integer(Int64($0)) }),
      ("pattern", rules.pattern.map { .string($0) }),
    ]
    return .object(limits.compactMap { name, value in value.map { .init(name, $0) } })
  }

  private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  private static func userInfo(_ entries: [String: String]) -> JSONValue {
    .object(entries.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
  }
}
