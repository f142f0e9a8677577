import ObjectStore

/// Relationships between any two entities, those inherited from and those that inherit.
extension DrawnModel {
  private enum Shape { case oneToMany, oneToOne, manyToMany, oneWay, spouse, friends }

  mutating func addRelationship(_ number: Int, using random: inout SeededRandomSource) {
    // The end whose name sorts first is the one that is recorded; either may be.
    let names = Bool.random(using: &random) ? ("p\(number)", "q\(number)") : ("q\(number)", "p\(number)")
    var shapes: [Shape] = [.oneToMany, .oneToMany, .oneToOne, .manyToMany]
    if features.has(.oneWay) { shapes.append(.oneWay) }
    if features.has(.ownInverse) { shapes.append(.spouse) }
    if features.has(.symmetric) { shapes.append(.friends) }
    let source = Int.random(in: declarations.indices, using: &random)
    let target = Int.random(in: declarations.indices, using: &random)
    switch shapes.randomElement(using: &random) ?? .oneToMany {
    case .oneToMany:
      add(end(names.0, to: target, inverse: names.1, using: &random), to: source)
      add(end(names.1, to: source, inverse: names.0, isToMany: true, using: &random), to: target)
    case .oneToOne:
      let isBelow = isParent(declarations[source].name) || isParent(declarations[target].name)
      guard features.has(.exclusiveBelow) || !isBelow else { return }
      add(end(names.0, to: target, inverse: names.1, using: &random), to: source)
      add(end(names.1, to: source, inverse: names.0, using: &random), to: target)
    case .manyToMany:
      add(end(names.0, to: target, inverse: names.1, isToMany: true, using: &random), to: source)
      add(end(names.1, to: source, inverse: names.0, isToMany: true, using: &random), to: target)
    case .oneWay:
      let isToMany = Bool.random(using: &random)
      add(end(names.0, to: target, inverse: nil, isToMany: isToMany, using: &random), to: source)
    case .spouse:
      add(end(names.0, to: source, inverse: names.0, using: &random), to: source)
    case .friends:
      guard features.has(.symmetricBelow) || !isParent(declarations[source].name) else { return }
      var end = end(names.0, to: source, inverse: names.0, isToMany: true, using: &random)
      end.isOrdered = false
      add(end, to: source)
    }
  }

  private func end(
    _ name: String, to entity: Int, inverse: String?, isToMany: Bool = false,
    using random: inout SeededRandomSource
  ) -> RelationshipDescription {
    var rule = DeleteRule.nullify
    if features.has(.deleteRules), random.oneIn(3) { rule = random.oneIn(3) ? .deny : .cascade }
    return RelationshipDescription(
      name, to: declarations[entity].name, inverse: inverse, isToMany: isToMany,
      isOrdered: isToMany && features.has(.ordered) && random.oneIn(2), deleteRule: rule)
  }

  private mutating func add(_ end: RelationshipDescription, to entity: Int) {
    declarations[entity].properties.append(.relationship(end))
  }
}
