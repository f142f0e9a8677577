import Foundation
import ObjectStore
import Testing

/// All objects of a store as plain values by name, so that stores of different models can be compared.
struct PlainGraph: Equatable {
  struct Reference: Hashable, CustomStringConvertible {
    var entity: String
    var key: Int64
    var description: String { "\(entity)/p\(key)" }
  }

  struct Object: Equatable {
    var values: [String: AttributeValue] = [:]
    var related: [String: [Reference]] = [:]
  }

  var objects: [Reference: Object] = [:]

  init() {}

  init(_ store: PersistentStore) throws {
    let model = store.model
    func plain(_ reference: StoredObject.Reference) -> Reference {
      Reference(entity: model.entities[reference.entity].name, key: reference.key)
    }
    for stored in try StoreRows(store).allObjects() {
      let entity = model.entities[stored.reference.entity]
      var object = Object()
      for (index, property) in entity.properties.enumerated() where !property.isTransient {
        if index < entity.attributeCount {
          object.values[property.name] = stored.attributes[index]
        } else {
          let members = stored.relationships[index - entity.attributeCount].map(plain)
          let isOrdered = property.asRelationship?.isOrdered == true
          object.related[property.name] = isOrdered ? members : members.sorted { "\($0)" < "\($1)" }
        }
      }
      objects[plain(stored.reference)] = object
    }
  }

  /// Puts the members of unordered relationships into the order of their names.
  mutating func normalize(_ model: ManagedObjectModel) {
    for (reference, object) in objects {
      for (name, members) in object.related
      where model.entity(named: reference.entity)?.property(named: name)?.asRelationship?.isOrdered != true {
        objects[reference]?.related[name] = members.sorted { "\($0)" < "\($1)" }
      }
    }
  }

  /// What differs, in words; empty if nothing does.
  func differences(from other: PlainGraph) -> [String] {
    var lines: [String] = []
    for reference in Set(objects.keys).union(other.objects.keys).sorted(by: { "\($0)" < "\($1)" }) {
      guard let mine = objects[reference], let theirs = other.objects[reference] else {
        lines.append("\(reference) is only in \(objects[reference] == nil ? "the other" : "this")")
        continue
      }
      for name in Set(mine.values.keys).union(theirs.values.keys)
      where mine.values[name] != theirs.values[name] {
        lines.append(
          "\(reference).\(name): \(String(describing: mine.values[name])), \(String(describing: theirs.values[name]))"
        )
      }
      for name in Set(mine.related.keys).union(theirs.related.keys)
      where mine.related[name] != theirs.related[name] {
        lines.append("\(reference).\(name): \(mine.related[name] ?? []), \(theirs.related[name] ?? [])")
      }
    }
    return lines
  }
}

extension EntityDeclaration {
  /// What an entity of a model was declared as.
  init(of entity: EntityDescription) {
    self.init(
      entity.name, parent: entity.parent?.name, isAbstract: entity.isAbstract,
      uniquenessConstraints: entity.ownUniquenessConstraints, indexes: entity.indexes,
      renamingIdentifier: entity.renamingIdentifier, versionHashModifier: entity.versionHashModifier)
    properties = entity.properties.filter { entity.ownPropertyNames.contains($0.name) }
  }
}

/// Fills a store with random objects and relationships.
func populate(_ store: PersistentStore, count: Int, using random: inout SeededGenerator) throws {
  let context = try store.newContext()
  var objects: [ManagedObject] = []
  for entity in store.model.entities where !entity.isAbstract {
    for _ in 0..<count {
      let object = try context.insert(entity)
      for property in entity.properties {
        guard let attribute = property.asAttribute else { continue }
        object[attribute.name] = ManagedObjectModel.value(of: attribute.type, using: &random)
      }
      objects.append(object)
    }
  }
  for object in objects {
    for (index, property) in object.entity.properties.enumerated() {
      guard let relationship = property.asRelationship else { continue }
      let candidates = objects.filter {
        $0.entity.isKind(of: store.model.entities[relationship.destinationIndex])
      }
      for _ in 0..<(relationship.isToMany ? Int.random(in: 0...3, using: &random) : 1) {
        guard let target = candidates.randomElement(using: &random) else { continue }
        if relationship.isToMany {
          object.insertMember(target, at: index, position: nil)
        } else {
          object.setTarget(target, at: index)
        }
      }
    }
  }
  try context.save()
}
