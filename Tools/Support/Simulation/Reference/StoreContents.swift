import ChangeTracking
import ObjectStore

extension SimulatedClient {
  /// One line for each object of the store, read through a fresh context.
  ///
  /// - Parameter isLeftOut: what is not looked at.
  func contents(
    without isLeftOut: (ManagedObject, SyncSchema.Property) -> Bool = { _, _ in false }
  ) throws -> [String] {
    let context = try store.newContext()
    let schema = store.model.syncSchema
    var lines: [String] = []
    for entity in schema.entities {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: entity.name)) {
        guard object.entity.name == entity.name else { continue }
        var line = ContentLine(entity: entity.name, id: Self.id(object))
        for property in entity.properties where !isLeftOut(object, property) {
          switch property.kind {
          case .attribute: line.add(property.name, object[property.name])
          case .toOne, .partner: line.add(property.name, target: object.target(property.name).map(Self.id))
          case .toMany:
            let members = object.members(property.name).map(Self.id)
            if property.order.contains(.targets) {
              line.add(property.name, list: members)
            } else {
              line.add(property.name, set: members)
            }
          }
        }
        addOrderedSources(of: object, schema, to: &line)
        lines.append(line.text)
      }
    }
    return lines.sorted()
  }

  static func identifier(_ object: ManagedObject) -> String {
    if case .string(let text) = object[SyncModelKey.syncID] { text } else { "" }
  }

  private static func id(_ object: ManagedObject) -> PlainID { PlainID(text: identifier(object)) }

  /// The members of an object in relationships that are recorded at the other end and ordered at this one.
  private func addOrderedSources(
    of object: ManagedObject, _ schema: SyncSchema, to line: inout ContentLine
  ) {
    var keys: [String: String] = [:]
    for other in schema.entities {
      for property in other.properties
      where property.order.contains(.sources) && property.kind.destination == object.entity.root.name {
        let relationship = store.model.entity(named: other.name)?.property(named: property.name)
        keys[property.name] = relationship?.asRelationship?.inverse
      }
    }
    for (key, inverse) in keys.sorted(by: { $0.key < $1.key }) {
      line.add("←" + key, list: object.members(inverse).map(Self.id))
    }
  }

  /// What SQLite finds wrong with the file, and relationships whose two sides contradict each other.
  func faults() throws -> [String] {
    var faults: [String] = []
    let context = try store.newContext()
    let statement = try context.connection.prepare("PRAGMA integrity_check")
    while try statement.step() {
      if statement.text(0) != "ok" { faults.append(statement.text(0)) }
    }
    for entity in store.model.entities {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: entity.name))
      where object.entity == entity {
        faults += onesidedRelationships(of: object)
      }
    }
    return faults
  }

  private func onesidedRelationships(of object: ManagedObject) -> [String] {
    var faults: [String] = []
    for (index, property) in object.entity.properties.enumerated() {
      guard let relationship = property.asRelationship, let inverse = relationship.inverse else { continue }
      let targets =
        relationship.isToMany ? object.members(at: index) : object.target(at: index).map { [$0] } ?? []
      for target in targets {
        let back =
          relationship.inverseIsToMany
          ? target.members(inverse).contains { $0 === object } : target.target(inverse) === object
        if !back { faults.append("\(object.entity.name).\(property.name): the other side does not agree") }
      }
    }
    return faults
  }
}
