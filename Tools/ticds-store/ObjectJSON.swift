import CommandLineTool
import ObjectStore
import StoreAccess

/// An object of a store as one JSON value: `entity`, `id`, `attributes`, `relationships`.
struct ObjectJSON {
  let store: StoreFile

  func json(_ object: StoredObject) -> JSONValue {
    let entity = store.model.entities[object.reference.entity]
    var attributes: [JSONValue.Member] = []
    var relationships: [JSONValue.Member] = []
    for (index, property) in entity.properties.enumerated() where !property.isTransient {
      if case .attribute(let attribute) = property {
        let isMissing = object.missingFiles.contains(index)
        let value =
          isMissing
          ? .object([.init("$missingFile", true)]) : ValueJSON.json(object.attributes[index], attribute.type)
        attributes.append(.init(attribute.name, value))
      } else if case .relationship(let relationship) = property {
        let targets = object.relationships[index - entity.attributeCount].map {
          JSONValue.string(store.uri(of: $0))
        }
        relationships.append(
          .init(relationship.name, relationship.isToMany ? .array(targets) : targets.first ?? .null))
      }
    }
    return .object([
      .init("entity", .string(entity.name)), .init("id", .string(store.uri(of: object.reference))),
      .init("attributes", .object(attributes.sorted { $0.key < $1.key })),
      .init("relationships", .object(relationships.sorted { $0.key < $1.key })),
    ])
  }
}
