/// Builds the entities of a model from their declarations, or finds everything that is wrong with them.
struct ModelAssembly {
  private let declarations: [EntityDeclaration]

  init(_ declarations: [EntityDeclaration]) {
    self.declarations = declarations
  }

  /// The entities in the order of their numbers.
  func assemble() throws(ModelError) -> [EntityDescription] {
    let checks = DeclarationChecks(declarations)
    let problems = checks.problems()
    if !problems.isEmpty { throw ModelError(problems: problems) }

    let order = numbering()
    let indexByName = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.name, $0) })
    var children: [[Int]] = Array(repeating: [], count: order.count)
    for (index, declaration) in order.enumerated() {
      if let parent = declaration.parent.flatMap({ indexByName[$0] }) { children[parent].append(index) }
    }
    // Parents come before their children, so both passes find what they need.
    var properties: [[PropertyDescription]] = []
    for declaration in order {
      let inherited = declaration.parent.flatMap { indexByName[$0] }.map { properties[$0] } ?? []
      properties.append(Self.flatten(inherited: inherited, own: declaration.properties))
    }
    resolveRelationships(in: &properties, order: order, indexByName: indexByName)

    var entities: [EntityDescription] = []
    for (index, declaration) in order.enumerated() {
      let parent = declaration.parent.flatMap { indexByName[$0] }.map { entities[$0] }
      let hash = VersionHash.entity(
        declaration, properties: properties[index], parentHash: parent?.versionHash)
      entities.append(
        EntityDescription(
          EntityParts(
            declaration: declaration, index: index, parent: parent, subentityIndices: children[index],
            familyIndices: family(of: index, children: children), properties: properties[index],
            versionHash: hash)))
    }
    return entities
  }

  /// Core Data's numbering: roots by name without regard to case, sub-entities directly after their parent.
  private func numbering() -> [EntityDeclaration] {
    let sorted = declarations.sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
    let byParent = Dictionary(grouping: sorted) { $0.parent ?? "" }
    var order: [EntityDeclaration] = []
    var pending = Array((byParent[""] ?? []).reversed())
    while let next = pending.popLast() {
      order.append(next)
      pending.append(contentsOf: (byParent[next.name] ?? []).reversed())
    }
    return order
  }

  private func family(of index: Int, children: [[Int]]) -> [Int] {
    [index] + children[index].flatMap { family(of: $0, children: children) }
  }

  private static func flatten(
    inherited: [PropertyDescription], own: [PropertyDescription]
  ) -> [PropertyDescription] {
    let own = own.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return (0...7).flatMap { group in
      inherited.filter { $0.group == group } + own.filter { $0.group == group }
    }
  }

  private func resolveRelationships(
    in properties: inout [[PropertyDescription]], order: [EntityDeclaration], indexByName: [String: Int]
  ) {
    func owner(of name: String, in entity: Int) -> Int {
      if order[entity].properties.contains(where: { $0.name == name }) { return entity }
      return order[entity].parent.flatMap { indexByName[$0] }.map { owner(of: name, in: $0) } ?? entity
    }
    for entity in properties.indices {
      for index in properties[entity].indices {
        guard case .relationship(var relationship) = properties[entity][index],
          let destination = indexByName[relationship.destination]
        else { continue }
        relationship.destinationIndex = destination
        relationship.ownerIndex = owner(of: relationship.name, in: entity)
        if let inverse = properties[destination].firstIndex(where: { $0.name == relationship.inverse }) {
          relationship.inverseIndex = inverse
          relationship.inverseIsToMany = properties[destination][inverse].asRelationship?.isToMany ?? false
          // Published models have ordered relationships to one object, which means nothing.
          relationship.inverseIsOrdered =
            relationship.inverseIsToMany && properties[destination][inverse].asRelationship?.isOrdered == true
        }
        relationship.isOwnInverse =
          relationship.inverse == relationship.name
          && owner(of: relationship.name, in: destination) == relationship.ownerIndex
        properties[entity][index] = .relationship(relationship)
      }
    }
  }
}
