/// What a replica has been told of former names, to be told to another one: who merges a copy must know of every claim on a name, for
/// what contradicts another one counts for neither.
struct ToldNames {
  private struct Entity {
    var path: NamePath
    /// `nil` if it is told to be topmost.
    var root: NamePath?
  }

  private struct Property {
    var path: NamePath
    /// The entities of the local model that have it, for another model may have these below other roots; of what only others know, its root.
    var holders: [Entity]
    var kind: EntityNames.Property.Kind
    var destination: NamePath?
  }

  private var entities: [Entity] = []
  private var properties: [Property] = []

  /// Takes what a replica has been told, without names of which nothing older is known: these say nothing of others.
  init(_ names: NameTable) throws {
    for (path, number) in try Self.inOrder(names.toldPaths(in: .entities)) {
      entities.append(Self.entity(names[EntityNumber(rawValue: number)], called: path, names))
    }
    for root in names.entities where root.number.isKnown && root.root == root.number && !root.name.isEmpty {
      for kind in Int64(0)...2 {
        let told = try names.toldPaths(in: .properties(root: root.number, kind: kind))
        for (path, number) in Self.inOrder(told) {
          let property = try root.property(PropertyBit(rawValue: number))
          let holders = names.entities.filter {
            $0.local != nil && $0.root == root.number && $0.localBits.contains(property.bit)
          }
          properties.append(
            Property(
              path: path,
              holders: (holders.isEmpty ? [root] : holders).map { Self.entity($0, called: $0.path, names) },
              kind: property.kind,
              destination: names.destination(of: property)?.path))
        }
      }
    }
  }

  private static func entity(_ known: KnownEntity, called path: NamePath, _ names: NameTable) -> Entity {
    Entity(path: path, root: known.root == known.number ? nil : names.root(of: known).path)
  }

  /// What tells most comes first, so that fewer names look like something new for a while.
  private static func inOrder(_ told: [(path: NamePath, number: Int)]) -> [(path: NamePath, number: Int)] {
    told.filter { $0.path.names.count > 1 }.sorted {
      (-$0.path.names.count, $0.path.names.joined(separator: "\0"), $0.number)
        < (-$1.path.names.count, $1.path.names.joined(separator: "\0"), $1.number)
    }
  }

  /// Makes it known to a table, as a set would.
  func tell(_ names: NameTable) throws {
    for entity in entities { _ = try number(of: entity, names) }
    for property in properties {
      var destination: EntityNumber?
      if let path = property.destination {
        guard let number = try names.number(of: path, below: nil) else { continue }
        destination = names[number].root
      }
      for holder in property.holders {
        guard let entity = try number(of: holder, names) else { continue }
        _ = try names.bit(of: property.path, kind: property.kind, in: entity, destination: destination)
      }
    }
    try names.learn()
  }

  private func number(of entity: Entity, _ names: NameTable) throws -> EntityNumber? {
    guard let root = entity.root else { return try names.number(of: entity.path, below: nil) }
    guard let root = try names.number(of: root, below: nil) else { return nil }
    return try names.number(of: entity.path, below: root)
  }
}
