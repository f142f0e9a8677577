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
  /// A line for each entity of which nothing tells what it was.
  let ambiguities: [String]
  /// The same for the properties of an entity of the later version, by its index.
  let ambiguousProperties: [Int: [String]]

  /// Finds out what belongs together, by names and renaming identifiers.
  public init(from source: ManagedObjectModel, to target: ManagedObjectModel) {
    self.source = source
    self.target = target
    let pairing = NamePairing(Self.names(of: target.entities), from: Self.names(of: source.entities))
    ambiguities = pairing.ambiguities.map {
      Self.line(target.entities[$0.element].name, $0.candidates.map { source.entities[$0].name })
    }
    var ambiguous: [Int: [String]] = [:]
    entities = zip(target.entities, pairing.sources).compactMap { entity, index in
      guard let index else { return nil }
      let old = source.entities[index]
      let properties = NamePairing(Self.names(of: entity.properties), from: Self.names(of: old.properties))
      ambiguous[entity.index] = properties.ambiguities.filter {
        // What is inherited stands with the parent.
        entity.ownPropertyNames.contains(entity.properties[$0.element].name)
      }.map {
        Self.line(
          "\(entity.name).\(entity.properties[$0.element].name)",
          $0.candidates.map { old.properties[$0].name })
      }
      return Entity(source: old, target: entity, properties: properties.sources)
    }
    ambiguousProperties = ambiguous
  }

  /// One line for each thing that a migration cannot infer from the two versions; empty if none needs to be told.
  public var problems: [String] { MigrationInference(mapping: self, transformed: []).problems() }

  private static func names(of entities: [EntityDescription]) -> [NamePairing.Names] {
    entities.map { NamePairing.Names($0.name, $0.renamingIdentifier) }
  }

  private static func names(of properties: [PropertyDescription]) -> [NamePairing.Names] {
    properties.map { NamePairing.Names($0.name, $0.renamingIdentifier) }
  }

  private static func line(_ name: String, _ candidates: [String]) -> String {
    "\(name): nothing tells whether it was \(candidates.joined(separator: " or ")), which another may have been as well; "
      + "give it a renaming identifier of its own, or name the versions in between"
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
