import ObjectStore
import SQLite

/// The names of entities and properties in the bookkeeping, while a new version of the model gives them others.
///
/// All are read, renamed in memory and written anew, so that two may exchange their names.
struct StoredNames {
  private struct Entity {
    var name: String
    var root: String
    var frontier: Int64
  }

  private struct Property {
    var root: Int64
    var bit: Int64
    var name: String
    var kind: Int64
    var destination: String?
  }

  private var entities: [Int64: Entity] = [:]
  private var properties: [Property] = []

  init(_ connection: Connection) throws {
    let named = try connection.prepare("SELECT id, name, root, frontier FROM TICDS_ENTITY")
    while try named.step() {
      entities[named.int64(0)] = Entity(name: named.text(1), root: named.text(2), frontier: named.int64(3))
    }
    let properties = try connection.prepare("SELECT root, bit, name, kind, destination FROM TICDS_PROPERTY")
    while try properties.step() {
      self.properties.append(
        Property(
          root: properties.int64(0), bit: properties.int64(1), name: properties.text(2),
          kind: properties.int64(3), destination: properties.optionalText(4)))
    }
  }

  func number(of name: String) -> Int64? { entities.first { $0.value.name == name }?.key }

  private func root(of entity: EntityDescription) -> Int64? {
    number(of: entity.name).flatMap { entities[$0] }.flatMap { number(of: $0.root) }
  }

  // MARK: Renaming

  /// Renames properties. One whose name only some entities of a family change keeps its name in the others.
  mutating func renameProperties(_ mapping: ModelMapping) {
    var renamed: [Int64: [String: Set<String>]] = [:]
    for entity in mapping.entities {
      guard let root = root(of: entity.source) else { continue }
      for (property, old) in zip(entity.target.properties, entity.properties) {
        guard let old else { continue }
        renamed[root, default: [:]][entity.source.properties[old].name, default: []].insert(property.name)
      }
    }
    let former = properties
    for index in properties.indices {
      guard let names = renamed[properties[index].root]?[properties[index].name], names.count == 1,
        let name = names.first, name != properties[index].name
      else { continue }
      // A name that came from another device keeps its number; what was written under the old one is then the past.
      let isTaken = former.contains {
        $0.root == properties[index].root && $0.kind == properties[index].kind && $0.name == name
          && renamed[$0.root]?[name] == nil
      }
      if !isTaken { properties[index].name = name }
    }
  }

  /// Renames entities.
  ///
  /// - Returns: the numbers of those whose new name another device has used.
  mutating func renameEntities(_ mapping: ModelMapping) -> [Int64] {
    let changed = mapping.entities.compactMap { entity in number(of: entity.source.name).map { ($0, entity) }
    }
    let leaving = Set(changed.map(\.1.source.name))
    var taken: [Int64] = []
    var names: [String: String] = [:]
    for (number, entity) in changed where entity.source.name != entity.target.name {
      names[entity.source.name] = entity.target.name
      if let other = self.number(of: entity.target.name), !leaving.contains(entity.target.name) {
        // The rows are no insertions, for all that.
        let frontier = entities[number]?.frontier ?? 0
        entities[other]?.frontier = frontier
        taken.append(number)
      }
    }
    for (number, entity) in entities {
      if !taken.contains(number), let name = names[entity.name] { entities[number]?.name = name }
      if let root = names[entity.root] { entities[number]?.root = root }
    }
    for index in properties.indices {
      properties[index].destination = properties[index].destination.map { names[$0] ?? $0 }
    }
    return taken
  }

  /// Puts entities below other roots.
  ///
  /// - Returns: the numbers of those that moved, each with the number of its root.
  mutating func moveRoots(_ mapping: ModelMapping) -> [(entity: Int64, root: Int64)] {
    var moved: [(Int64, Int64)] = []
    for entity in mapping.entities {
      let name = entity.target.root.name
      guard let number = number(of: entity.target.name), let former = entities[number]?.root, former != name
      else { continue }
      let root = self.number(of: name) ?? add(name)
      if let before = self.number(of: former) { moveProperties(from: before, to: root) }
      entities[number]?.root = name
      moved.append((number, root))
    }
    return moved
  }

  private mutating func add(_ root: String) -> Int64 {
    let number = (entities.keys.max() ?? 0) + 1
    entities[number] = Entity(name: root, root: root, frontier: 0)
    return number
  }

  /// A root that has no properties yet takes over those of the family that comes below it.
  private mutating func moveProperties(from former: Int64, to root: Int64) {
    guard !properties.contains(where: { $0.root == root }) else { return }
    for index in properties.indices where properties[index].root == former { properties[index].root = root }
  }

  // MARK: Writing

  func write(_ connection: Connection) throws {
    try connection.run("DELETE FROM TICDS_ENTITY")
    try connection.run("DELETE FROM TICDS_PROPERTY")
    for (number, entity) in entities {
      try connection.run(
        "INSERT INTO TICDS_ENTITY VALUES (?, ?, ?, ?)", .integer(number), .text(entity.name),
        .text(entity.root), .integer(entity.frontier))
    }
    for property in properties {
      try connection.run(
        "INSERT INTO TICDS_PROPERTY VALUES (?, ?, ?, ?, ?)", .integer(property.root), .integer(property.bit),
        .text(property.name), .integer(property.kind), property.destination.map { .text($0) } ?? .null)
    }
  }
}
