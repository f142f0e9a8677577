/// What other devices name.
extension NameTable {
  /// The number of an entity as somebody names it, given now if it has none; `nil` if there are too many that only others know.
  ///
  /// - Parameter root: what a new entity is below; `nil` for nothing.
  func number(of path: NamePath, below root: EntityNumber?) throws -> EntityNumber? {
    let space = KnownPaths.Space.entities
    if let number = try paths.number(of: path, in: space) { return EntityNumber(rawValue: number) }
    let answer = try answer(to: path, in: space) { localEntityPaths }
    guard let known = answer.number else {
      let foreign = entities.count - 1 - byPosition.count
      return foreign < Self.foreignEntityLimit ? try add(path, below: root) : nil
    }
    if answer.unites { hasNewRelatives = true }
    try noteAlias(path, known, in: space)
    let number = EntityNumber(rawValue: known)
    if let longer = self[number].path.extended(by: path) { try setPath(longer, of: number) }
    return number
  }

  /// The bit of a property as somebody names it, given now if it has none; `nil` if there are too many that only others know.
  ///
  /// - Parameter destination: of a relationship, the root below which its targets are.
  func bit(
    of path: NamePath, kind: EntityNames.Property.Kind, in entity: EntityNumber, destination: EntityNumber?
  ) throws -> PropertyBit? {
    let root = self[entity].root
    let space = KnownPaths.Space.properties(root: root, kind: kind.stored.code)
    if let number = try paths.number(of: path, in: space) { return PropertyBit(rawValue: number) }
    let own = Set(self[entity].localBits.map(\.rawValue))
    let answer = try answer(to: path, in: space, preferring: own) {
      localPropertyPaths(below: root, kind.stored.code)
    }
    guard let known = answer.number else {
      return hasRoom(below: root) ? try add(path, kind, below: root, destination: destination) : nil
    }
    if answer.unites { hasNewRelatives = true }
    try noteAlias(path, known, in: space)
    let bit = PropertyBit(rawValue: known)
    try extend(bit, below: root, by: path)
    return bit
  }

  private func answer(
    to path: NamePath, in space: KnownPaths.Space, preferring preferred: Set<Int>? = nil,
    local: () -> [(path: NamePath, number: Int)]
  ) throws -> NameResolution.Answer {
    let known = try paths.all(in: space)
    if relatedNames.mayRelate(path, in: space, known, local) {
      return NameResolution(known: known, byName: try paths.byName(in: space), local: local())
        .answer(to: path, preferring: preferred)
    }
    return NameResolution.Answer(number: path.formerPaths.lazy.compactMap { known[$0] }.first)
  }

  private func hasRoom(below root: EntityNumber) -> Bool {
    let (all, local) = (families[root]?.all.count ?? 0, localCounts[root] ?? 0)
    return all - local < Self.foreignPropertyLimit && all < Self.propertyLimit - Self.foreignPropertyLimit
  }

  /// Notes another name of something, as long as there is room.
  private func noteAlias(_ path: NamePath, _ number: Int, in space: KnownPaths.Space) throws {
    guard try paths.all(in: space).count < Self.aliasLimit else { return }
    try paths.insert(path, number, in: space)
    relatedNames.add(path, in: space)
  }

  private var localEntityPaths: [(path: NamePath, number: Int)] {
    byPosition.map { (self[$0].path, $0.rawValue) }
  }

  private func localPropertyPaths(below root: EntityNumber, _ kind: Int64) -> [(path: NamePath, number: Int)]
  {
    entities.filter { $0.root == root }.flatMap(\.localProperties).filter { $0.kind.stored.code == kind }.map
    {
      ($0.path, $0.bit.rawValue)
    }
  }

  /// What only other devices know, though the local model shows it under a related name.
  func relatives() throws -> [NameUnion] {
    func unions(_ space: KnownPaths.Space, _ local: [(path: NamePath, number: Int)]) throws -> [NameUnion] {
      try NameResolution(known: paths.all(in: space), local: local).relatives().map {
        NameUnion(space: space, from: $0.foreign, into: $0.local)
      }
    }
    let found = try unions(.entities, localEntityPaths)
    // Uniting entities may join families, so properties come after.
    if !found.isEmpty { return found }
    return try Set(byPosition.map { self[$0].root }).sorted().flatMap { root in
      try (Int64(0)...2).flatMap { kind in
        try unions(.properties(root: root, kind: kind), localPropertyPaths(below: root, kind))
      }
    }
  }
}
