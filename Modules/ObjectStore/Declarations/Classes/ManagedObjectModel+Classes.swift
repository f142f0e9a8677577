extension ManagedObjectModel {
  /// Builds a model from classes of managed objects, their superclasses included.
  ///
  /// - Throws: ``ModelError`` with every mistake that was found.
  public convenience init(
    _ types: ManagedObject.Type..., versionIdentifiers: [String] = []
  ) throws(ModelError) {
    try self.init(types, versionIdentifiers: versionIdentifiers)
  }

  /// Builds a model from classes of managed objects, their superclasses included.
  ///
  /// - Throws: ``ModelError`` with every mistake that was found.
  public convenience init(
    _ types: [ManagedObject.Type], versionIdentifiers: [String] = []
  ) throws(ModelError) {
    let classes = Self.declarations(of: types)
    let declarations = EntityDeclarations(classes)
    if !declarations.problems.isEmpty { throw ModelError(problems: declarations.problems) }
    let byName = Dictionary(
      classes.map { ($0.type.entityName, BoundClass(type: $0.type, properties: $0.names)) },
      uniquingKeysWith: { first, _ in first })
    try self.init(declarations.entities, versionIdentifiers: versionIdentifiers) { entities in
      ClassBinding(entities, byName)
    }
  }

  /// The entity that a class was declared for, or `nil` if the model has none.
  public func entity(for type: ManagedObject.Type) -> EntityDescription? {
    classes?.index(of: type).map { entities[$0] }
  }

  /// The class of an entity's objects.
  func objectClass(of entity: EntityDescription) -> ManagedObject.Type {
    classes?.types[entity.index] ?? ManagedObject.self
  }

  /// A scope for making objects of an entity. Not shared: each context makes its own.
  func instantiationScope(for entity: EntityDescription) -> InstantiationScope {
    InstantiationScope(indices: classes?.wrapperIndices[entity.index] ?? [])
  }

  /// `nil` if the model was not made of classes.
  private var classes: ClassBinding? { binding as? ClassBinding }

  private static func declarations(of types: [ManagedObject.Type]) -> [ClassDeclaration] {
    var classes: [ClassDeclaration] = []
    var seen: Set<ObjectIdentifier> = []
    for type in types {
      var next: ManagedObject.Type? = type
      while let current = next, seen.insert(ObjectIdentifier(current)).inserted {
        let declaration = ClassDeclaration(current)
        classes.append(declaration)
        next = declaration.superclass
      }
    }
    return classes
  }
}

/// The classes of a model's entities.
private final class ClassBinding: ModelBinding {
  let types: [ManagedObject.Type]
  /// For each entity, the property indices in the order in which the wrappers of its class are initialised.
  let wrapperIndices: [ContiguousArray<Int16>]
  private let indexByClass: [ObjectIdentifier: Int]

  init(_ entities: [EntityDescription], _ classByName: [String: BoundClass]) {
    // An entity without a class of its own uses that of its nearest ancestor.
    let plain = BoundClass(type: ManagedObject.self, properties: [])
    var bound: [BoundClass] = []
    for entity in entities {
      bound.append(classByName[entity.name] ?? entity.parent.map { bound[$0.index] } ?? plain)
    }
    types = bound.map(\.type)
    wrapperIndices = zip(entities, bound).map { entity, bound in
      ContiguousArray(bound.properties.map { Int16(clamping: entity.index(of: $0) ?? .max) })
    }
    indexByClass = Dictionary(
      classByName.compactMap { name, bound in
        entities.firstIndex { $0.name == name }.map { (ObjectIdentifier(bound.type), $0) }
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// The position in the model of the entity that a class was declared for.
  func index(of type: ManagedObject.Type) -> Int? { indexByClass[ObjectIdentifier(type)] }
}

/// A class together with the names of its properties in the order of their wrappers.
private struct BoundClass: Sendable {
  let type: ManagedObject.Type
  let properties: [String]
}

/// Turns the declarations of classes into those of entities, pairing relationships with their inverses.
private struct EntityDeclarations {
  private(set) var entities: [EntityDeclaration] = []
  private(set) var problems: [ModelError.Problem] = []

  init(_ classes: [ClassDeclaration]) {
    let byType = Dictionary(
      classes.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    var inverses: [String: String] = [:]
    for declared in classes {
      for (name, declaration) in declared.own {
        if declaration.isInitialValueChanging {
          problems.append(
            .init(
              entity: declared.type.entityName, property: name,
              message:
                "its initial value is another one each time it is computed, and would be the same in all objects: leave it out, and set it in awakeFromInsert()"
            ))
        }
        if declaration.isOwnInverse {
          checkOwnInverse(name, declaration, of: declared)
          inverses["\(declared.type.entityName).\(name)"] = name
          continue
        }
        guard case .relationship(_, let destination, let path?) = declaration.content else { continue }
        guard let target = byType[ObjectIdentifier(destination)], let inverse = target.name(of: path) else {
          problems.append(
            .init(
              entity: declared.type.entityName, property: name,
              message: "its inverse is no relationship of \(destination.entityName) in the model"))
          continue
        }
        inverses["\(declared.type.entityName).\(name)"] = inverse
        // The other side may be inherited; it is the class that declares it which needs to know.
        let owner = Self.owner(of: inverse, in: target, byType)
        inverses["\(owner.type.entityName).\(inverse)"] = name
      }
    }
    for declared in classes {
      entities.append(Self.entity(of: declared, inverses: inverses))
    }
  }

  private mutating func checkOwnInverse(
    _ name: String, _ declaration: PropertyDeclaration, of declared: ClassDeclaration
  ) {
    guard case .relationship(let relationship, let destination, _) = declaration.content else { return }
    func add(_ message: String) {
      problems.append(.init(entity: declared.type.entityName, property: name, message: message))
    }
    if destination != declared.type {
      add("is its own inverse, but leads to \(destination.entityName)")
    }
    // One link is seen from both of its ends, and has room for one place.
    if relationship.isOrdered { add("is its own inverse, so its members cannot have an order") }
  }

  private static func owner(
    of name: String, in declared: ClassDeclaration, _ byType: [ObjectIdentifier: ClassDeclaration]
  ) -> ClassDeclaration {
    if declared.own.contains(where: { $0.name == name }) { return declared }
    guard let parent = declared.superclass.flatMap({ byType[ObjectIdentifier($0)] }) else { return declared }
    return owner(of: name, in: parent, byType)
  }

  private static func entity(of declared: ClassDeclaration, inverses: [String: String]) -> EntityDeclaration {
    let options = declared.type.ownOptions
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    var constraints = options?.uniquenessConstraints ?? []
    for (name, declaration) in declared.own {
      switch declaration.content {
      case .attribute(var attribute):
        attribute.name = name
        attributes.append(attribute)
        if declaration.isUnique { constraints.append([name]) }
      case .relationship(var relationship, _, _):
        relationship.name = name
        relationship.inverse = inverses["\(declared.type.entityName).\(name)"]
        relationships.append(relationship)
      }
    }
    return EntityDeclaration(
      declared.type.entityName, parent: declared.superclass?.entityName,
      isAbstract: options?.isAbstract ?? false,
      attributes: attributes, relationships: relationships, uniquenessConstraints: constraints,
      indexes: options?.indexes ?? [], className: String(describing: declared.type),
      renamingIdentifier: options?.renamingIdentifier, versionHashModifier: options?.versionHashModifier,
      userInfo: options?.userInfo ?? [:])
  }
}
