import CommandLineTool
import ObjectStore
import StoreAccess

/// What the objects of two stores do not say alike. An object is the same in both if entity and key are.
///
/// Goes through both stores and holds one object of each at a time.
struct StoreDifferences {
  struct Property {
    let name: String
    /// `nil` if the object, or the property, is not in the first store.
    let first: JSONValue?
    /// `nil` if the object is not in the second store.
    let second: JSONValue?
  }

  struct Object {
    let kind: ModelDifferences.Kind
    let entity: String
    let uri: String
    let properties: [Property]
  }

  let first: StoreFile
  let second: StoreFile
  let mapping: ModelMapping

  /// Calls `body` with each object that is new or differs, in the order of the second store, then with each that is gone, in that of the first.
  ///
  /// - Returns: how many there were.
  func forEach(_ body: (Object) throws -> Void) throws -> Int {
    let old = try first.objects()
    let new = try second.objects()
    var count = 0
    func tell(_ object: Object?) throws {
      guard let object else { return }
      count += 1
      try body(object)
    }
    try new.forEachObject(of: nil) { object in
      try Task.checkCancellation()
      let mapped = mapping.entity(to: mapping.target.entities[object.reference.entity])
      let former = try mapped.flatMap {
        try old.object(.init(entity: $0.source.index, key: object.reference.key))
      }
      if let mapped, let former {
        try tell(change(from: former, to: object, mapped))
      } else {
        try tell(whole(object, of: second, .added))
      }
    }
    try old.forEachObject(of: nil) { object in
      try Task.checkCancellation()
      let present = try present(object.reference).flatMap { try new.object($0) }
      if present == nil { try tell(whole(object, of: first, .removed)) }
    }
    return count
  }

  /// What a reference of the first store is in the second; `nil` if its entity is gone.
  private func present(_ reference: StoredObject.Reference) -> StoredObject.Reference? {
    mapping.entity(from: mapping.source.entities[reference.entity]).map {
      .init(entity: $0.target.index, key: reference.key)
    }
  }

  /// Everything that an object says which only one store has; what is empty is left out.
  private func whole(_ object: StoredObject, of store: StoreFile, _ kind: ModelDifferences.Kind) -> Object {
    let entity = store.model.entities[object.reference.entity]
    let properties = entity.properties.indices.compactMap { index -> Property? in
      let property = entity.properties[index]
      if property.isTransient { return nil }
      let value = json(object, index, of: store, store.uri)
      if value == .null || value == .array([]) { return nil }
      return Property(
        name: property.name, first: kind == .removed ? value : nil, second: kind == .added ? value : nil)
    }
    return Object(
      kind: kind, entity: entity.name, uri: store.uri(of: object.reference), properties: properties)
  }

  /// What differs in an object that both stores have; `nil` if nothing does.
  private func change(
    from former: StoredObject, to object: StoredObject, _ mapped: ModelMapping.Entity
  ) -> Object? {
    var properties: [Property] = []
    for (index, property) in mapped.target.properties.enumerated() where !property.isTransient {
      var value = json(object, index, of: second, second.uri)
      guard let place = mapped.properties[index], !mapped.source.properties[place].isTransient else {
        // That the property is new is the model's business; what an object says besides its default is not.
        if value != initial(property) {
          properties.append(Property(name: property.name, first: nil, second: value))
        }
        continue
      }
      var old = json(former, place, of: first) { present($0).map(second.uri) ?? first.uri(of: $0) }
      if case (.date(let seconds)?, .date(let others)?) = (
        former.attribute(place), object.attribute(index)
      ), old == value, seconds != others {
        // They differ by less than what the text shows.
        (old, value) = (.number(seconds), .number(others))
      }
      if old != value { properties.append(Property(name: property.name, first: old, second: value)) }
    }
    if properties.isEmpty { return nil }
    return Object(
      kind: .changed, entity: mapped.target.name, uri: second.uri(of: object.reference),
      properties: properties)
  }

  private func initial(_ property: PropertyDescription) -> JSONValue {
    switch property {
    case .attribute(let attribute): ValueJSON.json(attribute.defaultValue, attribute.type)
    case .relationship(let relationship): relationship.isToMany ? .array([]) : .null
    }
  }

  /// A value as JSON; related objects by what `uri` calls them.
  private func json(
    _ object: StoredObject, _ index: Int, of store: StoreFile,
    _ uri: (StoredObject.Reference) -> String
  ) -> JSONValue {
    let entity = store.model.entities[object.reference.entity]
    switch entity.properties[index] {
    case .attribute(let attribute):
      if object.missingFiles.contains(index) { return ["$missingFile": true] }
      return ValueJSON.json(object.attributes[index], attribute.type)
    case .relationship(let relationship):
      var targets = object.relationships[index - entity.attributeCount].map(uri)
      // Keys order the members in each store, but entities come in the order of its own model.
      if !relationship.isOrdered { targets.sort() }
      let values = targets.map { JSONValue.string($0) }
      return relationship.isToMany ? .array(values) : values.first ?? .null
    }
  }
}

extension StoredObject {
  /// The value of an attribute; `nil` for relationships.
  fileprivate func attribute(_ index: Int) -> AttributeValue? {
    index < attributes.count ? attributes[index] : nil
  }
}
