import CommandLineTool
import ObjectStore
import StoreAccess

/// An object of a store as one JSON value: `entity`, `id`, `attributes`, `relationships`.
struct ObjectJSON {
  private let model: ManagedObjectModel
  private let uri: (StoredObject.Reference) -> String

  init(store: StoreFile) { (model, uri) = (store.model, store.uri) }

  init(store: TolerantStore) { (model, uri) = (store.model, store.uri) }

  func json(_ object: StoredObject) -> JSONValue {
    let entity = model.entities[object.reference.entity]
    var attributes: [JSONValue.Member] = []
    var relationships: [JSONValue.Member] = []
    for (index, property) in entity.properties.enumerated()
    where !property.isTransient && !object.unread.contains(index) {
      if case .attribute(let attribute) = property {
        let isMissing = object.missingFiles.contains(index)
        let value =
          isMissing
          ? .object([.init("$missingFile", true)]) : ValueJSON.json(object.attributes[index], attribute.type)
        attributes.append(.init(attribute.name, value))
      } else if case .relationship(let relationship) = property {
        let targets = object.relationships[index - entity.attributeCount].map {
          JSONValue.string(uri($0))
        }
        relationships.append(
          .init(relationship.name, relationship.isToMany ? .array(targets) : targets.first ?? .null))
      }
    }
    return .object([
      .init("entity", .string(entity.name)), .init("id", .string(uri(object.reference))),
      .init("attributes", .object(attributes.sorted { $0.key < $1.key })),
      .init("relationships", .object(relationships.sorted { $0.key < $1.key })),
    ])
  }
}
