import ChangeTracking

/// What the names of a former version have become.
struct Renaming: Sendable {
  var entities: [String: String] = [:]
  /// Names of properties are unique in a drawn model.
  var properties: [String: String] = [:]
  /// Roots that have become sub-entities, with their new roots.
  var roots: [String: String] = [:]
  /// What versions place below different roots, with the root that this one has for it.
  var placed: [String: String] = [:]

  /// What the names have become with the version after the next.
  func followed(by next: Renaming) -> Renaming {
    var all = next
    for (old, new) in entities { all.entities[old] = next.entities[new] ?? new }
    for (old, new) in properties { all.properties[old] = next.properties[new] ?? new }
    return all
  }

  /// What an entity of the latest version was called in the first. A drawn model only makes names longer, or takes the first again.
  func first(_ entity: String) -> String {
    let former = entities.filter { $0.value == entity }.map(\.key) + [entity]
    return former.min { $0.count < $1.count } ?? entity
  }

  private func root(_ name: String) -> String {
    let root = roots[name] ?? name
    return entities[root] ?? root
  }

  /// Names of any version as the latest has them.
  func latest(_ names: EntityNames) -> EntityNames {
    var latest = names
    latest.name = Self.latest(names.name, names.formerNames, entities)
    latest.root = placed[latest.name] ?? root(names.root)
    latest.properties = names.properties.map { property in
      let name = Self.latest(property.name, property.formerNames, properties)
      let kind: EntityNames.Property.Kind =
        switch property.kind {
        case .attribute: .attribute
        case .toOne(let destination): .toOne(destination: root(destination))
        case .toMany(let destination): .toMany(destination: root(destination))
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
