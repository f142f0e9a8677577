import ChangeTracking
import ObjectStore

/// A later version of a drawn model.
extension DrawnModel {
  /// The model with the changes that the families allow.
  ///
  /// - Returns: the version, and what its names were before.
  func nextVersion(using random: inout SeededRandomSource) -> (model: DrawnModel, renamed: Renaming) {
    var next = self
    var renamed = Renaming()
    if features.has(.addedAttributes) { next.addAttributes(using: &random) }
    if features.has(.reparenting) || features.has(.reparentedFamilies) {
      next.reparent(&renamed, using: &random)
    }
    if features.has(.subEntityMoves) { next.moveSubEntity(using: &random) }
    if features.has(.addedConstraints) { next.addConstraints(using: &random) }
    if features.has(.renaming) {
      next.renameAttributes(&renamed, using: &random)
      next.renameEntity(&renamed, using: &random)
    }
    if features.has(.subEntityMoves) { next.noteRoots(in: &renamed) }
    return (next, renamed)
  }

  private mutating func addAttributes(using random: inout SeededRandomSource) {
    for index in declarations.indices where random.oneIn(2) {
      let name = declarations[index].name.lowercased()
      declarations[index].properties.append(.attribute(AttributeDescription("\(name)new", .string)))
      declarations[index].properties.append(
        .attribute(
          AttributeDescription("\(name)must", .integer64, isOptional: false, defaultValue: .integer(42))))
    }
  }

  private mutating func renameAttributes(_ renamed: inout Renaming, using random: inout SeededRandomSource) {
    for entity in declarations.indices {
      for property in declarations[entity].properties.indices where random.oneIn(3) {
        guard case .attribute(var attribute) = declarations[entity].properties[property],
          attribute.name != SyncModelKey.syncID, attribute.name != declarations[entity].naturalKey,
          !declarations[entity].uniquenessConstraints.contains([attribute.name])
        else { continue }
        let old = attribute.name
        attribute.renamingIdentifier = old
        attribute.name = old + "renamed"
        renamed.properties[old] = attribute.name
        declarations[entity].properties[property] = .attribute(attribute)
      }
    }
  }

  private mutating func renameEntity(_ renamed: inout Renaming, using random: inout SeededRandomSource) {
    guard let index = declarations.indices.randomElement(using: &random) else { return }
    let old = declarations[index].name
    let new = old + "Renamed"
    declarations[index].name = new
    declarations[index].renamingIdentifier = old
    renamed.entities[old] = new
    for entity in declarations.indices {
      if declarations[entity].parent == old { declarations[entity].parent = new }
      for property in declarations[entity].properties.indices {
        guard case .relationship(var relationship) = declarations[entity].properties[property],
          relationship.destination == old
        else { continue }
        relationship.destination = new
        declarations[entity].properties[property] = .relationship(relationship)
      }
    }
  }

  /// Whether an entity may get sub-entities although it has none yet: not if it has relationships that only entities without
  /// sub-entities may have in this run.
  private func admitsBelow(_ name: String) -> Bool {
    let ends = declarations.flatMap(\.properties).compactMap(\.asRelationship)
    let isSymmetric = ends.contains { $0.destination == name && $0.inverse == $0.name && $0.isToMany }
    guard features.has(.symmetricBelow) || !isSymmetric else { return false }
    if features.has(.exclusiveBelow) { return true }
    let toOnes = ends.filter { !$0.isToMany }
    return !toOnes.contains { end in
      end.destination == name && toOnes.contains { $0.name == end.inverse && $0.inverse == end.name }
    }
  }

  /// A root becomes a sub-entity of another root.
  private mutating func reparent(_ renamed: inout Renaming, using random: inout SeededRandomSource) {
    let roots = declarations.filter { $0.parent == nil }.map(\.name)
    guard
      let name = roots.filter({ features.has(.reparentedFamilies) || !isParent($0) }).randomElement(
        using: &random),
      let parent = roots.filter({ $0 != name && admitsBelow($0) }).randomElement(using: &random),
      let index = declarations.firstIndex(where: { $0.name == name })
    else { return }
    declarations[index].parent = parent
    declarations[index].properties.removeAll { $0.name == SyncModelKey.syncID }
    renamed.roots[name] = parent
  }

  /// An entity that has a parent and no sub-entities goes below another root.
  private mutating func moveSubEntity(using random: inout SeededRandomSource) {
    let leaves = declarations.filter { $0.parent != nil && !isParent($0.name) && $0.naturalKey == nil }
    guard let name = leaves.map(\.name).randomElement(using: &random),
      let parent = declarations.map(\.name).filter({ isOfOtherFamily($0, than: name) && admitsBelow($0) })
        .randomElement(using: &random),
      let index = declarations.firstIndex(where: { $0.name == name })
    else { return }
    declarations[index].parent = parent
  }

  private func isOfOtherFamily(_ other: String, than name: String) -> Bool {
    root(of: other) != root(of: name) && declaration(root(of: other))?.naturalKey == nil
  }

  private func root(of name: String) -> String {
    declaration(name)?.parent.map { root(of: $0) } ?? name
  }

  /// Notes where every entity is now, for that of a single one does not follow from its root of before.
  private func noteRoots(in renamed: inout Renaming) {
    for entity in declarations {
      renamed.rootsOfEntities[entity.name] = root(of: entity.name)
      for relationship in entity.properties.compactMap(\.asRelationship) {
        renamed.rootsOfDestinations[relationship.name] = root(of: relationship.destination)
      }
    }
  }

  /// Entities without a uniqueness constraint get one.
  private mutating func addConstraints(using random: inout SeededRandomSource) {
    for entity in declarations.indices where random.oneIn(2) {
      guard declarations[entity].uniquenessConstraints.isEmpty else { continue }
      let candidate = declarations[entity].properties.compactMap(\.asAttribute).first { attribute in
        [.string, .integer64].contains(attribute.type) && mayBecomeUnique(attribute)
      }
      if let candidate { declarations[entity].uniquenessConstraints = [[candidate.name]] }
    }
  }

  private func mayBecomeUnique(_ attribute: AttributeDescription) -> Bool {
    attribute.name != SyncModelKey.syncID && attribute.isOptional && attribute.validation.isEmpty
      && attribute.userInfo[SyncModelKey.merge] == nil && attribute.defaultValue.isNull
      && !declarations.contains { $0.naturalKey == attribute.name }
  }
}

/// What the names of a former version have become.
struct Renaming: Sendable {
  var entities: [String: String] = [:]
  /// Names of properties are unique in a drawn model.
  var properties: [String: String] = [:]
  /// Roots that have become sub-entities, with their new roots.
  var roots: [String: String] = [:]
  /// The roots of entities and of what relationships lead to, where a single entity went below another.
  var rootsOfEntities: [String: String] = [:]
  var rootsOfDestinations: [String: String] = [:]
  /// What versions place below different roots, with the root that this one has for it.
  var placed: [String: String] = [:]

  private func root(_ name: String) -> String {
    let root = roots[name] ?? name
    return entities[root] ?? root
  }

  /// Names of any version as the latest has them.
  func latest(_ names: EntityNames) -> EntityNames {
    var latest = names
    latest.name = Self.latest(names.name, names.formerNames, entities)
    latest.root = placed[latest.name] ?? rootsOfEntities[latest.name] ?? root(names.root)
    latest.properties = names.properties.map { property in
      let name = Self.latest(property.name, property.formerNames, properties)
      let kind: EntityNames.Property.Kind =
        switch property.kind {
        case .attribute: .attribute
        case .toOne(let destination): .toOne(destination: rootsOfDestinations[name] ?? root(destination))
        case .toMany(let destination): .toMany(destination: rootsOfDestinations[name] ?? root(destination))
        }
      return EntityNames.Property(name: name, kind: kind)
    }
    return latest
  }

  /// What the version itself calls a former name decides.
  private static func latest(_ name: String, _ former: [String], _ names: [String: String]) -> String {
    former.lazy.compactMap { names[$0] }.first ?? names[name] ?? name
  }
}
