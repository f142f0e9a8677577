/// Which entities and properties of one version of a model become which of the next, and how keys change.
public struct ModelMapping: Sendable {
  /// An entity and what becomes of it.
  public struct Entity: Sendable {
    /// The entity in the earlier version.
    public let source: EntityDescription
    /// The entity in the later version.
    public let target: EntityDescription
    /// For each property of the target, the index of the source's property that it is; `nil` for new ones.
    public let properties: [Int?]
    /// What is added to the keys of the entity's rows, because their table was joined with another; usually 0.
    public internal(set) var keyOffset: Int64 = 0
  }

  /// The earlier version.
  public let source: ManagedObjectModel
  /// The later version.
  public let target: ManagedObjectModel
  /// Entities that are in both versions, in the order of the target's model.
  public internal(set) var entities: [Entity]

  /// Finds out what belongs together: by renaming identifier, else by name.
  init(from source: ManagedObjectModel, to target: ManagedObjectModel) {
    self.source = source
    self.target = target
    let sources = Self.pair(target.entities, with: source.entities, \.name, \.renamingIdentifier)
    entities = zip(target.entities, sources).compactMap { entity, index in
      guard let index else { return nil }
      let old = source.entities[index]
      return Entity(
        source: old, target: entity,
        properties: Self.pair(entity.properties, with: old.properties, \.name, \.renamingIdentifier))
    }
  }

  /// For each element the index of the candidate that it was. Those that say what they were called come first, so that
  /// another may take over a name that has become free.
  private static func pair<Element>(
    _ elements: [Element], with candidates: [Element], _ name: (Element) -> String,
    _ identifier: (Element) -> String?
  ) -> [Int?] {
    var pairs: [Int?] = Array(repeating: nil, count: elements.count)
    var free = Set(candidates.indices)
    let order =
      elements.indices.filter { identifier(elements[$0]) != nil }
      + elements.indices.filter { identifier(elements[$0]) == nil }
    for index in order {
      let own = name(elements[index])
      let wanted = identifier(elements[index]) ?? own
      let found =
        free.filter { (identifier(candidates[$0]) ?? name(candidates[$0])) == wanted }.min()
        ?? free.filter { name(candidates[$0]) == wanted }.min()
        ?? free.filter { name(candidates[$0]) == own }.min()
      guard let found else { continue }
      free.remove(found)
      pairs[index] = found
    }
    return pairs
  }

  /// What becomes of an entity of the earlier version; `nil` if its objects go.
  public func entity(from source: EntityDescription) -> Entity? {
    entities.first { $0.source.index == source.index }
  }

  /// What an entity of the later version was; `nil` if it is new.
  public func entity(to target: EntityDescription) -> Entity? {
    entities.first { $0.target.index == target.index }
  }

  /// The relationship of the earlier version that a relationship of the later one was.
  func relationship(
    from entity: EntityDescription, at index: Int
  ) -> (entity: EntityDescription, index: Int)? {
    guard let mapped = self.entity(to: entity), let old = mapped.properties[index],
      mapped.source.relationship(at: old) != nil
    else { return nil }
    return (mapped.source, old)
  }
}
