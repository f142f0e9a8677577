import ChangeTracking
import ObjectStore

/// A later version of a drawn model.
extension DrawnModel {
  /// The model with the changes that the families allow.
  ///
  /// - Parameter former: the version before the present one, to which the next may return in part.
  /// - Returns: the version, and what its names were before.
  func nextVersion(
    after former: DrawnModel? = nil, using random: inout SeededRandomSource
  ) -> (model: DrawnModel, renamed: Renaming) {
    var next = self
    var renamed = Renaming()
    // What an entity had, has not and would have again a migration has dropped meanwhile, on those devices that have made it.
    let mayRegain = former != nil && (features.has(.subEntityMoves) || features.has(.freedEntities))
    if features.has(.droppedBetween) {
      if let former { next.regainAttributes(of: former) } else { next.dropAttributes(using: &random) }
    }
    if features.has(.addedAttributes) { next.addAttributes(former == nil ? "" : "later", using: &random) }
    if features.has(.reparenting) || features.has(.reparentedFamilies) {
      // What has become one because it has one sync ID is not told apart again.
      if let former, !features.has(.chosenIdentifiers), random.oneIn(2) {
        next.freeRoots(of: former)
      } else if !mayRegain {
        next.reparent(&renamed, using: &random)
      }
    }
    if features.has(.subEntityMoves), former == nil { next.moveSubEntity(using: &random) }
    if features.has(.commonParent) {
      next.addCommonParent(former == nil ? "N" : "M", &renamed, using: &random)
    }
    if features.has(.freedEntities), former == nil { next.freeEntity(using: &random) }
    if features.has(.addedInverses) { next.addInverses(using: &random) }
    if features.has(.laterMerges) { next.changeMerges(after: former, using: &random) }
    if features.has(.requiredLater) { next.changeRequired(after: former, using: &random) }
    if features.has(.changedTypes) { next.changeTypes(using: &random) }
    if features.has(.addedConstraints) { next.addConstraints(using: &random) }
    if features.has(.relationshipRenaming) {
      next.renameRelationships(&renamed, mayReturn: former != nil, using: &random)
    }
    if features.has(.renaming) {
      next.renameAttributes(&renamed, mayReturn: former != nil, using: &random)
      next.renameEntity(&renamed, mayReturn: former != nil, using: &random)
    }
    return (next, renamed)
  }

  private mutating func addAttributes(_ prefix: String, using random: inout SeededRandomSource) {
    for index in declarations.indices where random.oneIn(2) {
      let name = declarations[index].name.lowercased() + prefix
      declarations[index].properties.append(.attribute(AttributeDescription("\(name)new", .string)))
      declarations[index].properties.append(
        .attribute(
          AttributeDescription("\(name)must", .integer64, isOptional: false, defaultValue: .integer(42))))
    }
  }

  /// - Parameter mayReturn: whether something may get back the name that it had two versions ago.
  private mutating func renameAttributes(
    _ renamed: inout Renaming, mayReturn: Bool, using random: inout SeededRandomSource
  ) {
    for entity in declarations.indices {
      for property in declarations[entity].properties.indices where random.oneIn(3) {
        guard case .attribute(var attribute) = declarations[entity].properties[property],
          attribute.name != SyncModelKey.syncID, attribute.name != declarations[entity].naturalKey,
          !isConstrained(attribute.name)
        else { continue }
        let old = attribute.name
        let names = Self.names(
          after: old, attribute.renamingIdentifier, "renamed", mayReturn: mayReturn, using: &random)
        (attribute.name, attribute.renamingIdentifier) = (names.new, names.former)
        renamed.properties[old] = attribute.name
        declarations[entity].properties[property] = .attribute(attribute)
      }
    }
  }

  /// What a renamed entity's name ends with.
  static let renamed = "Renamed"

  private mutating func renameEntity(
    _ renamed: inout Renaming, mayReturn: Bool, using random: inout SeededRandomSource
  ) {
    guard let index = declarations.indices.randomElement(using: &random) else { return }
    let old = declarations[index].name
    let (new, former) = Self.names(
      after: old, declarations[index].renamingIdentifier, Self.renamed, mayReturn: mayReturn, using: &random)
    declarations[index].name = new
    declarations[index].renamingIdentifier = former
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

  /// What something is called next, and what it says that it was called.
  private static func names(
    after old: String, _ first: String?, _ suffix: String, mayReturn: Bool,
    using random: inout SeededRandomSource
  ) -> (new: String, former: String) {
    guard mayReturn, let first else { return (old + suffix, old) }
    return (random.oneIn(2) ? first : old + suffix, random.oneIn(2) ? first : old)
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

  /// Entities that had no parent in a version have none again.
  private mutating func freeRoots(of former: DrawnModel) {
    for index in declarations.indices where declarations[index].parent != nil {
      let names = [declarations[index].name, declarations[index].renamingIdentifier].compactMap(\.self)
      guard former.declarations.contains(where: { names.contains($0.name) && $0.parent == nil }) else {
        continue
      }
      declarations[index].parent = nil
      declarations[index].properties.insert(
        .attribute(AttributeDescription(SyncModelKey.syncID, .string, isIndexed: true)), at: 0)
    }
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
    dropForeignConstraints(of: index)
  }

  private func isOfOtherFamily(_ other: String, than name: String) -> Bool {
    root(of: other) != root(of: name) && declaration(root(of: other))?.naturalKey == nil
  }

  private func root(of name: String) -> String {
    declaration(name)?.parent.map { root(of: $0) } ?? name
  }

  /// Entities without a uniqueness constraint get one.
  private mutating func addConstraints(using random: inout SeededRandomSource) {
    for entity in declarations.indices where random.oneIn(2) {
      guard declarations[entity].uniquenessConstraints.isEmpty else { continue }
      let candidate = declarations[entity].properties.compactMap(\.asAttribute).first { attribute in
        [.string, .integer64].contains(attribute.type) && isPlain(attribute)
      }
      if let candidate { declarations[entity].uniquenessConstraints = [[candidate.name]] }
    }
  }

  /// Attributes get types that hold whatever the former ones held.
  private mutating func changeTypes(using random: inout SeededRandomSource) {
    for entity in declarations.indices {
      for property in declarations[entity].properties.indices where random.oneIn(2) {
        guard case .attribute(var attribute) = declarations[entity].properties[property], isPlain(attribute),
          let types = Self.widerTypes[attribute.type], let type = types.randomElement(using: &random),
          !isConstrained(attribute.name) || type == .string
        else { continue }
        attribute.type = type
        declarations[entity].properties[property] = .attribute(attribute)
      }
    }
  }

  private static let widerTypes: [AttributeType: [AttributeType]] = [
    .integer16: [.integer32, .string], .integer32: [.integer64, .double], .integer64: [.string],
    .boolean: [.integer64], .float: [.double], .double: [.date], .date: [.double], .uuid: [.string],
    .uri: [.string],
  ]
}
