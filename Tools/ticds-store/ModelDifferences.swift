import CommandLineTool
import ObjectStore

/// What two versions of a model do not say alike, entity by entity.
struct ModelDifferences {
  enum Kind: String {
    case added, removed, changed
  }

  /// Something that is said of an entity or property, as ``ModelJSON`` names it.
  struct Trait {
    let name: String
    let first: JSONValue
    let second: JSONValue
  }

  struct Property {
    let kind: Kind
    let name: String
    /// The name in the first version, if it was another.
    let formerName: String?
    let traits: [Trait]
  }

  struct Entity {
    let kind: Kind
    let name: String
    /// The name in the first version, if it was another.
    let formerName: String?
    /// Whether stores of the first version have to be migrated on its account.
    let changesHash: Bool
    let traits: [Trait]
    let properties: [Property]
  }

  let mapping: ModelMapping
  /// What is said of the model as a whole.
  let traits: [Trait]
  /// In the order of the second version; those that are gone come last.
  private(set) var entities: [Entity] = []

  init(from first: ManagedObjectModel, to second: ManagedObjectModel) {
    mapping = ModelMapping(from: first, to: second)
    let (former, present) = (ModelJSON.versionIdentifiers(first), ModelJSON.versionIdentifiers(second))
    traits =
      former == present ? [] : [Trait(name: "versionIdentifiers", first: former, second: present)]
    entities = second.entities.compactMap { entity in
      guard let mapped = mapping.entity(to: entity) else { return addition(of: entity) }
      return change(of: mapped)
    }
    entities += first.entities.filter { mapping.entity(from: $0) == nil }.map { entity in
      Entity(
        kind: .removed, name: entity.name, formerName: nil, changesHash: true, traits: [], properties: [])
    }
  }

  /// How many there are.
  var count: Int { traits.count + entities.count }

  private func addition(of entity: EntityDescription) -> Entity {
    let own = entity.properties.filter { entity.ownPropertyNames.contains($0.name) }
    return Entity(
      kind: .added, name: entity.name, formerName: nil, changesHash: true, traits: [],
      properties: own.map { added($0) })
  }

  private func added(_ property: PropertyDescription) -> Property {
    Property(
      kind: .added, name: property.name, formerName: nil,
      traits: members(of: ModelJSON.property(property)).map {
        Trait(name: $0.key, first: .null, second: $0.value)
      })
  }

  /// What differs in an entity that is in both versions; `nil` if nothing does.
  private func change(of mapped: ModelMapping.Entity) -> Entity? {
    let (source, target) = (mapped.source, mapped.target)
    var properties: [Property] = []
    for (index, property) in target.properties.enumerated()
    where target.ownPropertyNames.contains(property.name) {
      guard let former = mapped.properties[index] else {
        properties.append(added(property))
        continue
      }
      let old = source.properties[former]
      let before = inWords(of: property, renamed(old, in: mapped))
      let traits = traits(former: ModelJSON.property(before), ModelJSON.property(property))
      if old.name != property.name || !traits.isEmpty {
        properties.append(
          Property(
            kind: .changed, name: property.name, formerName: old.name == property.name ? nil : old.name,
            traits: traits))
      }
    }
    let kept = Set(mapped.properties.compactMap(\.self))
    properties += source.properties.enumerated().filter { index, property in
      source.ownPropertyNames.contains(property.name) && !kept.contains(index)
    }.map { Property(kind: .removed, name: $0.element.name, formerName: nil, traits: []) }

    let traits = traits(former: renamed(ModelJSON.entity(source), of: mapped), ModelJSON.entity(target))
    let changesHash = source.versionHash != target.versionHash
    let isRenamed = source.name != target.name
    guard isRenamed || changesHash || !traits.isEmpty || !properties.isEmpty else { return nil }
    return Entity(
      kind: .changed, name: target.name, formerName: isRenamed ? source.name : nil, changesHash: changesHash,
      traits: traits, properties: properties)
  }

  // MARK: - Names of the first version as the second has them

  /// A derived attribute in the words of another that is derived alike: the model editor and archives write one expression in two ways.
  private func inWords(of other: PropertyDescription, _ property: PropertyDescription) -> PropertyDescription
  {
    guard var attribute = property.asAttribute, let words = other.asAttribute?.derivation,
      let derivation = attribute.parsedDerivation, derivation == Derivation(words)
    else { return property }
    attribute.derivation = words
    return .attribute(attribute)
  }

  /// A relationship that leads where it led, by the names of today.
  private func renamed(_ property: PropertyDescription, in mapped: ModelMapping.Entity) -> PropertyDescription
  {
    guard var relationship = property.asRelationship,
      let former = mapping.source.entity(named: relationship.destination),
      let destination = mapping.entity(from: former)
    else { return property }
    relationship.destination = destination.target.name
    relationship.inverse = relationship.inverse.map { name(of: $0, in: destination) }
    return .relationship(relationship)
  }

  private func renamed(_ json: JSONValue, of mapped: ModelMapping.Entity) -> JSONValue {
    .object(
      members(of: json).map { member in
        switch (member.key, member.value) {
        case ("parent", .string(let name)):
          let parent = mapping.source.entity(named: name).flatMap { mapping.entity(from: $0) }
          return .init("parent", .string(parent?.target.name ?? name))
        case ("uniquenessConstraints", let value), ("indexes", let value):
          return .init(member.key, renamedProperties(value, of: mapped))
        default: return member
        }
      })
  }

  private func renamedProperties(_ value: JSONValue, of mapped: ModelMapping.Entity) -> JSONValue {
    switch value {
    case .string(let name): .string(self.name(of: name, in: mapped))
    case .array(let values): .array(values.map { renamedProperties($0, of: mapped) })
    case .object(let members):
      .object(
        members.map { .init($0.key, $0.key == "name" ? $0.value : renamedProperties($0.value, of: mapped)) })
    default: value
    }
  }

  /// What a property of the first version is called in the second; its own name if it is gone.
  private func name(of former: String, in mapped: ModelMapping.Entity) -> String {
    guard let index = mapped.source.index(of: former), let place = mapped.properties.firstIndex(of: index)
    else { return former }
    return mapped.target.properties[place].name
  }

  // MARK: - Comparing

  /// What is told of properties by themselves, by the name, or by the hash alone.
  private static let others: Set = ["name", "attributes", "relationships", "versionHash"]

  private func members(of json: JSONValue) -> [JSONValue.Member] {
    guard case .object(let members) = json else { return [] }
    return members.filter { !Self.others.contains($0.key) }
  }

  private func traits(former: JSONValue, _ json: JSONValue) -> [Trait] {
    let old = members(of: former)
    let new = members(of: json)
    // An attribute that became a relationship has other traits, and the other way about.
    let names = new.map(\.key) + old.map(\.key).filter { name in !new.contains { $0.key == name } }
    return names.compactMap { name in
      let first = old.first { $0.key == name }?.value ?? .null
      let second = new.first { $0.key == name }?.value ?? .null
      return first == second ? nil : Trait(name: name, first: first, second: second)
    }
  }
}
