import ObjectStore

/// What a later version makes of relationships.
extension DrawnModel {
  private var ends: [(owner: String, end: RelationshipDescription)] {
    declarations.flatMap { entity in
      entity.properties.compactMap(\.asRelationship).map { (entity.name, $0) }
    }
  }

  private mutating func changeEnds(_ change: (inout RelationshipDescription) -> Void) {
    for entity in declarations.indices {
      for property in declarations[entity].properties.indices {
        guard case .relationship(var end) = declarations[entity].properties[property] else { continue }
        change(&end)
        declarations[entity].properties[property] = .relationship(end)
      }
    }
  }

  /// Relationships without inverse get one, at which they are not recorded: links that a migration would make of those that were there are
  /// nothing that other devices could learn of. It is to-many, for many objects may have led to one before.
  mutating func addInverses(using random: inout SeededRandomSource) {
    for (owner, end) in ends where end.inverse == nil && random.oneIn(2) {
      guard let target = declarations.firstIndex(where: { $0.name == end.destination }) else { continue }
      // After the first names of all others.
      let inverse = "zof" + end.name
      changeEnds { if $0.name == end.name { $0.inverse = inverse } }
      declarations[target].properties.append(
        .relationship(
          RelationshipDescription(inverse, to: owner, inverse: end.name, isToMany: true)))
    }
  }

  /// - Parameter mayReturn: whether something may get back the name that it had two versions ago.
  mutating func renameRelationships(
    _ renamed: inout Renaming, mayReturn: Bool, using random: inout SeededRandomSource
  ) {
    for (_, end) in ends where random.oneIn(2) {
      let old = end.name
      // Which end is recorded follows from the first names alone.
      let first = end.renamingIdentifier ?? old
      let isReturn = mayReturn && first != old && random.oneIn(3)
      let new = isReturn ? first : (random.oneIn(2) ? "a" : "z") + old
      renamed.properties[old] = new
      changeEnds { other in
        if other.name == old {
          other.name = new
          other.renamingIdentifier = first
        }
        if other.inverse == old { other.inverse = new }
      }
    }
  }
}
