import ChangeTracking
import ObjectStore

/// An object of a store that is kept in step, by names.
public struct StateObject: Sendable {
  /// Its entity's name.
  public let entity: String
  /// The name of the topmost parent of that.
  public let root: String
  /// Its sync ID.
  public let identifier: String
  /// What its attributes show, by name.
  public let attributes: [(name: String, value: AttributeValue)]
  /// The sync IDs that its relationships lead to, by name; in order if the relationship has one, else sorted.
  public let relationships: [(name: String, isToMany: Bool, targets: [String])]
}

/// Goes through the objects of a store that have a sync ID.
public struct StateObjects {
  private let store: StoreFile
  /// What has to live as long as the store.
  private let owner: DocumentState?
  /// Identifiers that are remembered at most; others are looked up again.
  private static let memory = 200_000

  /// Reads a store.
  public init(_ store: StoreFile) {
    self.store = store
    owner = nil
  }

  init(_ state: DocumentState) throws {
    store = try state.store()
    owner = state
  }

  /// Calls `body` with each object, by entity; with those of one entity and of those that inherit from it, if it is named. Objects that nobody has
  /// given an identifier are left out.
  ///
  /// - Throws: what reading the store or `body` throws.
  public func forEach(of entity: EntityDescription? = nil, _ body: (StateObject) throws -> Void) throws {
    let source = try store.objects()
    var known: [StoredObject.Reference: String] = [:]
    func identifier(of reference: StoredObject.Reference) throws -> String? {
      if let found = known[reference] { return found }
      let found = try source.object(reference).flatMap { Self.identifier(of: $0, store.model) }
      if known.count >= Self.memory { known = [:] }
      known[reference] = found
      return found
    }
    try source.forEachObject(of: entity) { object in
      try Task.checkCancellation()
      guard let own = Self.identifier(of: object, store.model) else { return }
      let entity = store.model.entities[object.reference.entity]
      var attributes: [(name: String, value: AttributeValue)] = []
      var relationships: [(name: String, isToMany: Bool, targets: [String])] = []
      for (index, property) in entity.properties.enumerated() where !property.isTransient {
        switch property {
        case .attribute(let attribute) where !Self.isIdentifier(property):
          attributes.append((attribute.name, object.attributes[index]))
        case .attribute: continue
        case .relationship(let relationship):
          let members = object.relationships[index - entity.attributeCount]
          let targets = try members.compactMap(identifier)
          relationships.append(
            (
              relationship.name, relationship.isToMany,
              relationship.isOrdered ? targets : targets.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            ))
        }
      }
      try body(
        StateObject(
          entity: entity.name, root: entity.root.name, identifier: own,
          attributes: attributes.sorted { $0.name < $1.name },
          relationships: relationships.sorted { $0.name < $1.name }))
    }
  }

  /// A model that was made of tables knows names without their case.
  private static func isIdentifier(_ property: PropertyDescription) -> Bool {
    property.name == SyncModelKey.syncID || property.name == SyncModelKey.syncID.lowercased()
  }

  private static func identifier(of object: StoredObject, _ model: ManagedObjectModel) -> String? {
    let entity = model.entities[object.reference.entity]
    guard let index = entity.properties.firstIndex(where: isIdentifier), index < entity.attributeCount,
      case .string(let text) = object.attributes[index]
    else { return nil }
    return text
  }
}
