/// What other devices name.
extension NameTable {
  /// The number of an entity as somebody names it, given now if it has none; `nil` if there are too many that only others know.
  ///
  /// What the local model shows is one thing, whatever others say it to be below. What only others know is one thing below each root,
  /// so that who is heard first does not decide where it belongs.
  ///
  /// - Parameter root: what a new entity is below; `nil` for nothing.
  func number(of path: NamePath, below root: EntityNumber?) throws -> EntityNumber? {
    if let known = try localNumber(of: path, in: .entities) { return EntityNumber(rawValue: known) }
    let family = root.map { self[$0].root }
    let space = family.map(KnownPaths.Space.entitiesBelow) ?? .entities
    if let known = try foreignNumber(of: path, in: space, of: .entities) {
      return EntityNumber(rawValue: known)
    }
    let foreign = entities.count - 1 - byPosition.count
    guard foreign < Self.foreignEntityLimit else { return nil }
    let number = try add(path, below: family, in: space)
    try settle(path, number.rawValue, in: space, of: .entities)
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
    let own = Set(self[entity].localBits.map(\.rawValue))
    if let known = try localNumber(of: path, in: space, preferring: own) {
      return PropertyBit(rawValue: known)
    }
    if let known = try foreignNumber(of: path, in: space, of: space) { return PropertyBit(rawValue: known) }
    guard hasRoom(below: root) else { return nil }
    let bit = try add(path, kind, below: root, destination: destination)
    try settle(path, bit.rawValue, in: space, of: space)
    return bit
  }

  /// What of the local model a path stands for; `nil` if it stands for none of it, or nobody can say for which.
  private func localNumber(
    of path: NamePath, in space: KnownPaths.Space, preferring preferred: Set<Int>? = nil
  ) throws -> Int? {
    let own = try ownNames(in: space)
    let known = try paths.all(in: space)[path]
    if let number = own.number(of: path, preferring: preferred) {
      if known == nil, try noteTold(path, number, in: space), let contradiction = own.contradiction(in: path)
      {
        contradictions.append(NameContradiction(space: space, contradiction: contradiction))
      }
      if let known, !own.contains(known) { hasNewRelatives = true }
      return number
    }
    let mayRelate = try relatedNames.mayRelate(path, in: space) {
      try own.paths.values.joined() + toldPaths(in: space).filter { own.contains($0.number) }.map(\.path)
    }
    guard mayRelate else { return nil }
    let claims = try claims(in: space)
    claims.insert(path, isForeign: known.map { !own.contains($0) } ?? false)
    defer { gather(claims, in: space) }
    switch claims.meaning(of: path) {
    case .one(let number):
      if known == nil { try noteTold(path, number, in: space) }
      if let known, !own.contains(known) { hasNewRelatives = true }
      return number
    case .contradictory: return nil
    // What was found to be the same under a former version of the model stays so.
    case .nothing: return known.flatMap { own.contains($0) ? $0 : nil }
    }
  }

  /// What a path stands for of what only others know.
  ///
  /// Each is something of its own until the local model tells what is one, for others may claim its former name too.
  private func foreignNumber(
    of path: NamePath, in space: KnownPaths.Space, of meanings: KnownPaths.Space
  ) throws -> Int? {
    guard let number = try paths.number(of: path, in: space),
      try !ownNames(in: meanings).contains(number)
    else { return nil }
    return number
  }

  /// Notes that only others know what a path stands for.
  private func settle(
    _ path: NamePath, _ number: Int, in space: KnownPaths.Space, of meanings: KnownPaths.Space
  ) throws {
    switch try paths.all(in: space)[path] {
    case nil: try paths.insert(path, number, in: space)
    case number: break
    // It was taken for something local until somebody contradicted.
    default: try paths.move(path, to: number, in: space)
    }
    guard let claims = knownClaims[meanings] else { return }
    claims.insert(path, isForeign: true)
    gather(claims, in: meanings)
  }

  /// Notes another name of something local, as long as there is room.
  ///
  /// - Returns: whether there was room.
  @discardableResult
  private func noteTold(_ path: NamePath, _ number: Int, in space: KnownPaths.Space) throws -> Bool {
    guard try paths.all(in: space).count < Self.aliasLimit else { return false }
    let claims = try claims(in: space)
    try paths.insert(path, number, in: space)
    relatedNames.add(path, in: space)
    claims.insert(path, isForeign: false)
    gather(claims, in: space)
    unlearnt.insert(space)
    return true
  }

  private func hasRoom(below root: EntityNumber) -> Bool {
    let (all, local) = (families[root]?.all.count ?? 0, localCounts[root] ?? 0)
    return all - local < Self.foreignPropertyLimit && all < Self.propertyLimit - Self.foreignPropertyLimit
  }

  // MARK: Claims

  /// What others tell of names, as far as it has been noted.
  func claims(in space: KnownPaths.Space) throws -> NameClaims {
    if let claims = knownClaims[space] { return claims }
    let own = try ownNames(in: space)
    let told = try toldPaths(in: space).map { ($0.path, !own.contains($0.number)) }
    let claims = NameClaims(own, told: told)
    claims.forgetContradictions()
    knownClaims[space] = claims
    return claims
  }

  private func gather(_ claims: NameClaims, in space: KnownPaths.Space) {
    if claims.hasNewRelatives { hasNewRelatives = true }
    guard !claims.contradictions.isEmpty else { return }
    for contradiction in claims.contradictions {
      contradictions.append(NameContradiction(space: space, contradiction: contradiction))
    }
    claims.forgetContradictions()
    unlearnt.insert(space)
  }

  /// All that has been told of names, wherever it is kept.
  func toldPaths(in space: KnownPaths.Space) throws -> [(path: NamePath, number: Int)] {
    let known = try paths.all(in: space).map { (path: $0.key, number: $0.value) }
    guard space == .entities else { return known }
    let own = try ownNames(in: .entities)
    let foreign = entities.filter {
      $0.number.isKnown && !$0.name.isEmpty && !own.contains($0.number.rawValue)
    }
    return known + foreign.map { ($0.path, $0.number.rawValue) } + (try paths.allBelowRoots())
  }

  /// What only other devices know, though the local model shows it under a related name.
  func relatives() throws -> [NameUnion] {
    func unions(_ space: KnownPaths.Space) throws -> [NameUnion] {
      let (own, claims) = (try ownNames(in: space), try claims(in: space))
      var found: [Int: (path: NamePath, into: Int)] = [:]
      for (path, number) in try toldPaths(in: space) where !own.contains(number) {
        guard case .one(let into) = claims.meaning(of: path) else { continue }
        // What came under several names that others tell of different things: one of them, the same everywhere.
        if let other = found[number], other.path.names.lexicographicallyPrecedes(path.names) { continue }
        found[number] = (path, into)
      }
      return found.sorted { $0.key < $1.key }.map {
        NameUnion(space: space, from: $0.key, into: $0.value.into)
      }
    }
    let found = try unions(.entities)
    // Uniting entities may join families, so properties come after.
    if !found.isEmpty { return found }
    return try Set(byPosition.map { self[$0].root }).sorted().flatMap { root in
      try (Int64(0)...2).flatMap { try unions(.properties(root: root, kind: $0)) }
    }
  }
}
