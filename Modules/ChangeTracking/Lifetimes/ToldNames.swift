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
    var root: NamePath
    var kind: EntityNames.Property.Kind
    var destination: NamePath?
  }

  private var entities: [Entity] = []
  private var properties: [Property] = []

  /// Takes what a replica has been told, without names of which nothing older is known: these say nothing of others.
  init(_ names: NameTable) throws {
    for (path, number) in try Self.inOrder(names.toldPaths(in: .entities)) {
      let known = names[EntityNumber(rawValue: number)]
      entities.append(
        Entity(path: path, root: known.root == known.number ? nil : names.root(of: known).path))
    }
    for root in names.entities where root.number.isKnown && root.root == root.number && !root.name.isEmpty {
      for kind in Int64(0)...2 {
        let told = try names.toldPaths(in: .properties(root: root.number, kind: kind))
        for (path, number) in Self.inOrder(told) {
          let property = try root.property(PropertyBit(rawValue: number))
          properties.append(
            Property(
              path: path, root: root.path, kind: property.kind,
              destination: names.destination(of: property)?.path))
        }
      }
    }
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
    for entity in entities {
      let root = try entity.root.flatMap { try names.number(of: $0, below: nil) }
      if entity.root == nil || root != nil { _ = try names.number(of: entity.path, below: root) }
    }
    for property in properties {
      guard let root = try names.number(of: property.root, below: nil) else { continue }
      var destination: EntityNumber?
      if let path = property.destination {
        guard let number = try names.number(of: path, below: nil) else { continue }
        destination = names[number].root
      }
      _ = try names.bit(of: property.path, kind: property.kind, in: root, destination: destination)
    }
    try names.learn()
  }
}
