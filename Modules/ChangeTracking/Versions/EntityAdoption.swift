/// Finds the numbers of the local model's entities.
struct EntityAdoption {
  /// An entity of the local model, or the root of one.
  struct Adopted {
    var number: EntityNumber
    /// The root that the bookkeeping has for it, and the one that the model has.
    var formerRoot: EntityNumber
    var root: EntityNumber
  }

  private let names: NameTable
  private let lineage: NameLineage
  private let schema: SyncSchema

  init(_ names: NameTable, _ lineage: NameLineage, _ schema: SyncSchema) {
    self.names = names
    self.lineage = lineage
    self.schema = schema
  }

  /// - Returns: all entities, by their names in the model.
  func run() throws -> [String: Adopted] {
    let roots = Set(schema.entities.map(\.root))
    let destinations = Set(
      schema.entities.flatMap(\.properties).compactMap { $0.kind.destination })
    let scopes = Set(schema.entities.compactMap(\.keyScope))
    let paths = Set(schema.entities.map(\.name)).union(roots).union(scopes).union(destinations).sorted().map {
      NamePath($0, schema.formerNames[$0] ?? [])
    }
    var numbers: [String: EntityNumber] = [:]
    var own: [String: NamePath] = [:]
    var taken: Set<EntityNumber> = []
    let kept = Set(paths.compactMap { lineage.entity($0, taken: [])?.number })
    // Those that say what they were called come first, so that another may take over a name that has become free.
    for path in paths.filter({ !$0.formerNames.isEmpty }) + paths.filter({ $0.formerNames.isEmpty }) {
      let isReused = own.values.contains { $0.wasCalled(path.name) }
      let (number, ownPath) = try number(of: path, taken, kept, isReused: isReused)
      own[path.name] = ownPath
      numbers[path.name] = number
      taken.insert(number)
    }
    try names.paths.removeOwnEntities()
    names.knownOwn = [:]
    let all = Set(taken.map(\.rawValue))
    for (name, path) in own {
      guard let number = numbers[name] else { continue }
      try names.paths.insert(path, number.rawValue, in: .ownEntities)
      try names.paths.claim(path, for: number.rawValue, of: all, in: .entities)
    }
    var adopted: [String: Adopted] = [:]
    for (name, number) in numbers {
      let former = names[number].root
      let root = schema.entities.first { $0.name == name }.flatMap { numbers[$0.root] } ?? number
      adopted[name] = Adopted(number: number, formerRoot: former, root: root)
    }
    return adopted
  }

  /// - Parameters:
  ///   - taken: numbers of others.
  ///   - kept: what has been an entity of the model and still is one.
  ///   - isReused: whether another entity of the model had the name before, perhaps in a version that the present one does not tell of.
  /// - Returns: the number, and what the local model calls the entity by itself.
  private func number(
    of declared: NamePath, _ taken: Set<EntityNumber>, _ kept: Set<EntityNumber>, isReused: Bool
  ) throws -> (EntityNumber, NamePath) {
    if let known = lineage.entity(declared, taken: taken) {
      let path = known.path.joined(with: declared)
      try names.setPath(path, of: known.number)
      return (known.number, path)
    }
    if let found = try told(declared, but: taken.union(kept)) {
      try names.setPath(declared, of: found)
      return (found, declared)
    }
    let isReused = try isReused || names.standing(declared, in: .entities) != nil
    let path = isReused ? declared.afterAnother : declared
    return (try names.add(path, below: nil), path)
  }

  /// What others have told by one of the names.
  private func told(_ declared: NamePath, but others: Set<EntityNumber>) throws -> EntityNumber? {
    let below = try names.paths.allBelowRoots()
    let topmost = try declared.allPaths.compactMap { try names.standing($0, in: .entities) }
    let inFamilies = declared.allPaths.flatMap { path in below.filter { $0.path == path }.map(\.number) }
    return (topmost + inFamilies).lazy.map(EntityNumber.init(rawValue:)).first { !others.contains($0) }
  }
}
