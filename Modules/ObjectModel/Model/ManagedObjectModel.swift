/// The entities of a store. Immutable; shared by all stores, contexts and threads that use it.
public final class ManagedObjectModel: Sendable {
  /// The entities in Core Data's order: by name without regard to case, sub-entities directly after their parent. The
  /// position of an entity, plus one, is its number in a store.
  public let entities: [EntityDescription]
  /// Names that the application gives to this version of the model.
  public let versionIdentifiers: [String]

  /// Whether saves have attributes to compute.
  package let hasDerivedAttributes: Bool

  /// What a module above has bound to the entities, such as the classes of their objects.
  package let binding: (any ModelBinding)?

  private let indexByName: [String: Int]

  /// Builds a model from declarations.
  ///
  /// - Throws: ``ModelError`` with every mistake that was found.
  public convenience init(
    entities declarations: [EntityDeclaration], versionIdentifiers: [String] = []
  ) throws(ModelError) {
    try self.init(declarations, versionIdentifiers: versionIdentifiers) { _ in nil }
  }

  /// Builds a model from declarations, and binds something to its entities.
  package init(
    _ declarations: [EntityDeclaration], versionIdentifiers: [String],
    binding: ([EntityDescription]) -> (any ModelBinding)?
  ) throws(ModelError) {
    let entities = try ModelAssembly(declarations).assemble()
    self.entities = entities
    self.versionIdentifiers = versionIdentifiers
    hasDerivedAttributes = entities.contains { entity in
      entity.properties.contains { $0.asAttribute?.derivation != nil }
    }
    indexByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) })
    self.binding = binding(entities)
  }

  /// The entity of this name.
  public func entity(named name: String) -> EntityDescription? { indexByName[name].map { entities[$0] } }

  /// The version hash of every entity by name.
  public var versionHashes: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
  }
}

/// What a module that makes objects knows of the entities of a model.
package protocol ModelBinding: AnyObject, Sendable {}
