/// The entities of a store. Immutable; shared by all stores, contexts and threads that use it.
public final class ManagedObjectModel: Sendable {
  /// The entities in Core Data's order: by name without regard to case, sub-entities directly after their parent. The
  /// position of an entity, plus one, is its number in a store.
  public let entities: [EntityDescription]
  /// Names that the application gives to this version of the model.
  public let versionIdentifiers: [String]

  /// Whether saves have attributes to compute.
  let hasDerivedAttributes: Bool

  private let indexByName: [String: Int]
  private let classes: [ManagedObject.Type]
  // For each entity, the property indices in the order in which the wrappers of its class are initialised.
  private let wrapperIndices: [ContiguousArray<Int16>]
  private let indexByClass: [ObjectIdentifier: Int]

  /// Builds a model from declarations.
  ///
  /// - Throws: ``ModelError`` with every mistake that was found.
  public convenience init(
    entities declarations: [EntityDeclaration], versionIdentifiers: [String] = []
  ) throws(ModelError) {
    try self.init(declarations, classes: [:], versionIdentifiers: versionIdentifiers)
  }

  init(
    _ declarations: [EntityDeclaration], classes classByName: [String: BoundClass],
    versionIdentifiers: [String]
  ) throws(ModelError) {
    let entities = try ModelAssembly(declarations).assemble()
    self.entities = entities
    self.versionIdentifiers = versionIdentifiers
    hasDerivedAttributes = entities.contains { entity in
      entity.properties.contains { $0.asAttribute?.derivation != nil }
    }
    indexByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) })
    // An entity without a class of its own uses that of its nearest ancestor.
    let plain = BoundClass(type: ManagedObject.self, properties: [])
    var bound: [BoundClass] = []
    for entity in entities {
      bound.append(classByName[entity.name] ?? entity.parent.map { bound[$0.index] } ?? plain)
    }
    classes = bound.map(\.type)
    wrapperIndices = zip(entities, bound).map { entity, bound in
      ContiguousArray(bound.properties.map { Int16(clamping: entity.index(of: $0) ?? .max) })
    }
    indexByClass = Dictionary(
      classByName.compactMap { name, bound in
        entities.firstIndex { $0.name == name }.map { (ObjectIdentifier(bound.type), $0) }
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// The entity of this name.
  public func entity(named name: String) -> EntityDescription? { indexByName[name].map { entities[$0] } }

  /// The entity that a class was declared for, or `nil` if the model has none.
  public func entity(for type: ManagedObject.Type) -> EntityDescription? {
    indexByClass[ObjectIdentifier(type)].map { entities[$0] }
  }

  /// The class of an entity's objects.
  func objectClass(of entity: EntityDescription) -> ManagedObject.Type { classes[entity.index] }

  /// A scope for making objects of an entity. Not shared: each context makes its own.
  func instantiationScope(for entity: EntityDescription) -> InstantiationScope {
    InstantiationScope(indices: wrapperIndices[entity.index])
  }

  /// The version hash of every entity by name.
  public var versionHashes: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
  }
}
