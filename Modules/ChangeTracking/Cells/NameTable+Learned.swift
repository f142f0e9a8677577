import TICDSSQLite

/// Several things are claimed to have had one name.
struct NameContradiction {
  var space: KnownPaths.Space
  var contradiction: NameClaims.Contradiction
}

/// What the local model calls its own by itself, and what of older names it has learned from others.
extension NameTable {
  /// What the local model calls its own, without what others tell.
  func ownNames(in space: KnownPaths.Space) throws -> OwnNames {
    if let own = knownOwn[space] { return own }
    var own: [(path: NamePath, number: Int)]
    // What is noted may be damaged, or from a time when it was not told apart from what was learned.
    switch space {
    case .properties(let root, let kind):
      let noted = try paths.all(in: .ownProperties(root: root, kind: kind))
      own = noted.filter { families[root]?.all.indices.contains($0.value) ?? false }.map {
        ($0.key, $0.value)
      }
      let named = Set(own.map(\.number))
      own += localProperties(below: root, kind).map { (path: $0.path, number: $0.bit.rawValue) }.filter {
        !named.contains($0.number)
      }
    default:
      let noted = try paths.all(in: .ownEntities)
      own = noted.filter { entities.indices.contains($0.value) }.map { ($0.key, $0.value) }
      let named = Set(own.map(\.number))
      own += Set(byPosition + byPosition.map { self[$0].root }).map {
        (path: self[$0].path, number: $0.rawValue)
      }
      .filter { !named.contains($0.number) }
    }
    own.sort {
      ($0.number, $0.path.names.joined(separator: "\0")) < ($1.number, $1.path.names.joined(separator: "\0"))
    }
    let names = OwnNames(own)
    knownOwn[space] = names
    return names
  }

  /// What the local model calls an entity, without what others tell.
  func ownPath(of entity: KnownEntity) throws -> NamePath {
    try ownNames(in: .entities).paths[entity.number.rawValue]?.first ?? entity.path
  }

  /// What the local model calls a property, without what others tell.
  func ownPath(of bit: PropertyBit, called path: NamePath, _ kind: Int64, below root: EntityNumber) throws
    -> NamePath
  {
    let own = try ownNames(in: .properties(root: root, kind: kind))
    return own.paths[bit.rawValue]?.first { $0.name == path.name } ?? path
  }

  /// What exactly this path is known to stand for; `nil` if nobody has told, or if what was told is contradictory.
  func standing(_ path: NamePath, in space: KnownPaths.Space) throws -> Int? {
    let own = try ownNames(in: space)
    if let number = own.bearer(of: path) { return number }
    let known = try paths.number(of: path, in: space)
    if let known, !own.contains(known) { return known }
    switch try claims(in: space).meaning(of: path) {
    case .one(let number): return number
    case .contradictory: return nil
    case .nothing: return known
    }
  }

  /// Takes over what others tell of older names, as far as nobody contradicts, and notes for the next report who does.
  ///
  /// - Parameter all: whether all names are looked at, rather than those of which something new was told.
  func learn(all: Bool = false) throws {
    let spaces = all ? localSpaces : unlearnt
    unlearnt = []
    for space in spaces { try learn(in: space) }
    for contradiction in contradictions { try note(contradiction) }
    contradictions = []
  }

  /// Notes for the next report where what has been told contradicts the local model, or would contradict itself for it, after the
  /// model has become another one.
  func noteContradictions() throws {
    for space in localSpaces {
      let own = try ownNames(in: space)
      let told = try toldPaths(in: space)
      let claims = NameClaims(own, told: told.map { ($0.path, !own.contains($0.number)) })
      for contradiction in Set(claims.contradictions + told.compactMap { own.contradiction(in: $0.path) }) {
        try note(NameContradiction(space: space, contradiction: contradiction))
      }
    }
  }

  /// Where the local model names something.
  private var localSpaces: Set<KnownPaths.Space> {
    var spaces: Set<KnownPaths.Space> = [.entities]
    for root in Set(byPosition.map({ self[$0].root })) {
      for kind in Int64(0)...2 { spaces.insert(.properties(root: root, kind: kind)) }
    }
    return spaces
  }

  private func learn(in space: KnownPaths.Space) throws {
    let told = OlderNames(Set(try toldPaths(in: space).map(\.path)))
    switch space {
    case .properties(let root, let kind):
      for entity in entities where entity.root == root {
        for property in entity.localProperties where property.kind.stored.code == kind {
          guard let position = property.local else { continue }
          let own = try ownPath(of: property.bit, called: property.path, kind, below: root)
          let path = try learned(own, property.bit.rawValue, in: space, told)
          guard path != property.path else { continue }
          property.path = path
          try connection.run(
            "UPDATE TICDS_LOCAL SET path = ? WHERE entity = ? AND position = ?", .blob(path.stored),
            .integer(Int64(entity.number.rawValue)), .integer(Int64(position.rawValue)))
        }
      }
    default:
      for number in try ownNames(in: space).paths.keys.sorted() {
        let entity = self[EntityNumber(rawValue: number)]
        let path = try learned(ownPath(of: entity), number, in: space, told)
        guard entity.number.isKnown, path != entity.path else { continue }
        entity.path = path
        try connection.run(
          "UPDATE TICDS_ENTITY SET path = ? WHERE id = ?", .blob(path.stored), .integer(Int64(number)))
      }
    }
  }

  /// What the local model calls something, with the older names that others tell and nobody contradicts: the longest such path,
  /// of equally long ones the first, so that it does not depend on who was heard first.
  private func learned(_ own: NamePath, _ number: Int, in space: KnownPaths.Space, _ told: OlderNames) throws
    -> NamePath
  {
    var path = own
    while true {
      var best: NamePath?
      for known in path.allPaths {
        for other in told.beginning(with: known) {
          guard let longer = try extended(path, at: known, by: other, number, in: space),
            longer.names.count > path.names.count
          else { continue }
          if let best, best.names.count > longer.names.count { continue }
          if let best, best.names.count == longer.names.count, best.description <= longer.description {
            continue
          }
          best = longer
        }
      }
      guard let best else { return path }
      path = best
    }
  }

  private func extended(
    _ path: NamePath, at known: NamePath, by other: NamePath, _ number: Int, in space: KnownPaths.Space
  ) throws -> NamePath? {
    guard other.names.count > known.names.count, other.begins(with: known) else { return nil }
    let claims = try claims(in: space)
    guard claims.meaning(of: other) == .one(number) else { return nil }
    var end = known.names.count
    for index in known.names.count..<other.names.count {
      guard other.names[index].isEmpty || claims.meaning(of: other, from: index) == .one(number) else {
        break
      }
      end = index + 1
    }
    guard end > known.names.count else { return nil }
    return NamePath(path.name, path.formerNames + other.names[known.names.count..<end])
  }

  private func note(_ found: NameContradiction) throws {
    let (name, numbers) = (found.contradiction.name, found.contradiction.numbers)
    switch found.space {
    case .properties(let root, _):
      let names = try numbers.map { try ownNames(in: found.space).paths[$0]?.first?.name ?? "" }
      try noteContradiction(names, name, of: self[root].name)
    default: try noteContradiction(numbers.map { self[EntityNumber(rawValue: $0)].name }, name)
    }
  }

  /// Notes for the next report that entities, or properties of an entity, are told to have been one.
  func noteContradiction(_ names: [String], _ former: String, of entity: String? = nil) throws {
    let names = names.sorted()
    try UnsaidTable(StateTable(connection)).insert(
      UnsaidTable.Entry(
        kind: .contradictoryNames, entity: entity ?? names.joined(separator: ", "), object: SyncID(""),
        key: entity == nil ? former : (names.filter { $0 != former } + [former]).joined(separator: ", ")))
  }

  private func localProperties(below root: EntityNumber, _ kind: Int64) -> [KnownProperty] {
    entities.filter { $0.root == root }.flatMap(\.localProperties).filter { $0.kind.stored.code == kind }
  }
}

extension NamePath {
  fileprivate var description: String { names.joined(separator: "\0") }
}
