import CommandLineTool
import ObjectStore
import StoreAccess

/// A model as JSON.
enum ModelJSON {
  static func json(_ model: ManagedObjectModel) -> JSONValue {
    [
      "versionIdentifiers": .array(model.versionIdentifiers.map { .string($0) }),
      "entities": .array(model.entities.map(entity)),
    ]
  }

  private static func entity(_ entity: EntityDescription) -> JSONValue {
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
      "userInfo": userInfo(entity.userInfo),
    ]
  }

  private static func attribute(_ attribute: AttributeDescription) -> JSONValue {
    [
      "name": .string(attribute.name), "type": .string("\(attribute.type)"),
      "optional": .boolean(attribute.isOptional), "transient": .boolean(attribute.isTransient),
      "indexed": .boolean(attribute.isIndexed), "externalStorage": .boolean(attribute.allowsExternalStorage),
      "default": ValueJSON.json(attribute.defaultValue, attribute.type),
      "transformer": text(attribute.transformerName),
      "renamingIdentifier": text(attribute.renamingIdentifier),
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
      "userInfo": userInfo(relationship.userInfo),
    ]
  }

  private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  private static func userInfo(_ entries: [String: String]) -> JSONValue {
    .object(entries.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
  }
}
