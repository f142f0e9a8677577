import CommandLineTool
import ObjectStore
import StoreAccess

/// An object of a store as one JSON value: `entity`, `id`, `attributes`, `relationships`.
struct ObjectJSON {
  private let model: ManagedObjectModel
  private let uri: (StoredObject.Reference) -> String
  private let transformables: ValueJSON.Transformables

  init(store: StoreFile, transformables: ValueJSON.Transformables = .decoded) {
    (model, uri) = (store.model, store.uri)
    self.transformables = transformables
  }

  init(store: TolerantStore) {
    (model, uri) = (store.model, store.uri)
    transformables = .decoded
  }

  /// The object on a line of its own.
  func text(_ object: StoredObject) -> String { json(object).line + "\n" }

  func json(_ object: StoredObject) -> JSONValue {
    .object([
      .init("entity", .string(entity(of: object).name)), .init("id", .string(uri(object.reference))),
      .init("attributes", .object(attributes(of: object).sorted { $0.key < $1.key })),
      .init("relationships", .object(relationships(of: object).sorted { $0.key < $1.key })),
    ])
  }

  func entity(of object: StoredObject) -> EntityDescription { model.entities[object.reference.entity] }

  func identifier(of object: StoredObject) -> String { uri(object.reference) }

  /// The values that were read.
  func attributes(of object: StoredObject) -> [JSONValue.Member] {
    entity(of: object).properties.enumerated().compactMap { index, property in
      guard case .attribute(let attribute) = property, isShown(index, of: object) else { return nil }
      let value: JSONValue =
        object.missingFiles.contains(index)
        ? .object([.init(ValueJSON.missingFileKey, .boolean(true))])
        : ValueJSON.json(object.attributes[index], attribute.type, transformables: transformables)
      return .init(attribute.name, value)
    }
  }

  /// The related objects that were read.
  func relationships(of object: StoredObject) -> [JSONValue.Member] {
    let entity = entity(of: object)
    return entity.properties.enumerated().compactMap { index, property in
      guard case .relationship(let relationship) = property, isShown(index, of: object) else { return nil }
      let targets = object.relationships[index - entity.attributeCount].map { JSONValue.string(uri($0)) }
      return .init(relationship.name, relationship.isToMany ? .array(targets) : targets.first ?? .null)
    }
  }

  private func isShown(_ index: Int, of object: StoredObject) -> Bool {
    !entity(of: object).properties[index].isTransient && !object.unread.contains(index)
  }
}
