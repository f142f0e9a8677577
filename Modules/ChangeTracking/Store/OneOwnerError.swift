import ObjectStore

/// A store in which objects of a relationship to many name their one owner, as Core Data lays out relationships without inverse, cannot
/// be kept in step: two devices may give one object different owners, and only one of them could be shown.
public struct OneOwnerError: Error, Hashable, CustomStringConvertible {
  /// The relationships, as `Entity.property`.
  public let relationships: [String]

  /// One line for a log or a terminal.
  public var description: String {
    "objects can have one owner only in this store, so it cannot be synchronised: \(relationships.joined(separator: ", "))"
  }

  /// What a person can do about it.
  public var recovery: String { "Declare an inverse of each of these relationships and migrate the store." }

  /// - Throws: ``OneOwnerError`` if both ends of such a relationship are synchronised.
  static func check(_ store: PersistentStore, _ entities: [ManagedEntity]) throws(OneOwnerError) {
    let synchronised = Set(entities.map(\.description.index))
    let relationships = store.schema.joins.filter {
      $0.isInTarget && synchronised.contains($0.sourceEntity) && synchronised.contains($0.targetEntity)
    }.map { join in
      let entity = store.model.entities[join.sourceEntity]
      return "\(entity.name).\(entity.properties[join.sourceProperty].name)"
    }
    if !relationships.isEmpty { throw OneOwnerError(relationships: relationships) }
  }
}
