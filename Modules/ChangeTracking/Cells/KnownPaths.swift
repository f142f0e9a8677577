import SQLite

/// Every path of names by which an entity or a property was ever called, with its number: `TICDS_NAME`.
///
/// A path that is known stands for the paths it had before it, unless they stand for something else.
struct KnownPaths {
  /// What is called by names.
  enum Space: Hashable {
    case entities
    /// Properties of one kind, of all entities below a root.
    case properties(root: EntityNumber, kind: Int64)

    fileprivate var stored: (root: Int64, kind: Int64) {
      switch self {
      case .entities: (0, -1)
      case .properties(let root, let kind): (Int64(root.rawValue), kind)
      }
    }
  }

  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The number of exactly this path.
  func number(of path: NamePath, in space: Space) throws -> Int? {
    let statement = try connection.cached(
      "SELECT number FROM TICDS_NAME WHERE root = ? AND kind = ? AND path = ?")
    try bind(space, to: statement)
    try statement.bind(path.stored, at: 3)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return Int(clamping: statement.int64(0))
  }

  /// All paths, in the order of their bytes.
  func all(in space: Space) throws -> [(path: NamePath, number: Int)] {
    let statement = try connection.cached(
      "SELECT path, number FROM TICDS_NAME WHERE root = ? AND kind = ? ORDER BY path")
    try bind(space, to: statement)
    var paths: [(NamePath, Int)] = []
    while try statement.step() {
      paths.append((try NamePath(stored: statement.blob(0)), Int(clamping: statement.int64(1))))
    }
    return paths
  }

  /// Notes a path and those before it, as far as they do not stand for something.
  func insert(_ path: NamePath, _ number: Int, in space: Space) throws {
    let statement = try connection.cached("INSERT OR IGNORE INTO TICDS_NAME VALUES (?, ?, ?, ?)")
    for path in path.allPaths {
      try bind(space, to: statement)
      try statement.bind(path.stored, at: 3)
      try statement.bind(Int64(number), at: 4)
      try statement.run()
    }
  }

  /// Lets all paths of one number stand for another.
  func replace(_ number: Int, by other: Int, in space: Space) throws {
    let (root, kind) = space.stored
    try connection.run(
      "UPDATE TICDS_NAME SET number = ? WHERE root = ? AND kind = ? AND number = ?", .integer(Int64(other)),
      .integer(root), .integer(kind), .integer(Int64(number)))
  }

  private func bind(_ space: Space, to statement: Statement) throws {
    try statement.bind(space.stored.root, at: 1)
    try statement.bind(space.stored.kind, at: 2)
  }
}

/// Finds out what somebody else means by a path of names.
struct NameResolution {
  let known: [(path: NamePath, number: Int)]
  /// What the local model calls its own.
  let local: [(path: NamePath, number: Int)]

  struct Answer {
    /// What the path stands for; `nil` for something new.
    var number: Int?
    /// Something that only other devices know and that turns out to be the same.
    var united: Int?
  }

  /// What a path stands for that is not known as it is.
  ///
  /// Who has lived through a renaming tells the former name; who knows less is met by the names that are known here. Only for the
  /// sake of something that the local model shows two paths are taken for one because of names that one of them does not tell.
  func answer(to path: NamePath) -> Answer {
    let isLocal = Set(local.map(\.number))
    let former = path.formerPaths.lazy.compactMap { older in known.first { $0.path == older }?.number }.first
    if let former, isLocal.contains(former) { return Answer(number: former) }
    let later = local.first { own in own.path.formerPaths.contains { path.begins(with: $0) } }?.number
    if let former { return Answer(number: later ?? former, united: later == nil ? nil : former) }
    if let later { return Answer(number: later) }
    let likely = known.first { other in
      isLocal.contains(other.number)
        && (path.begins(with: other.path) || path.allPaths.contains { other.path.begins(with: $0) })
    }
    return Answer(number: likely?.number)
  }

  /// What only other devices know, though the local model shows it under a name that is related.
  ///
  /// - Returns: pairs of what is to be united, each into what the local model shows.
  func relatives() -> [(foreign: Int, local: Int)] {
    let isLocal = Set(local.map(\.number))
    var pairs: [(Int, Int)] = []
    var taken: Set<Int> = []
    func take(_ relates: (_ own: NamePath, _ other: NamePath) -> Bool) {
      for own in local {
        for other in known
        where !isLocal.contains(other.number) && !taken.contains(other.number)
          && relates(own.path, other.path)
        {
          taken.insert(other.number)
          pairs.append((other.number, own.number))
        }
      }
    }
    take { own, other in own.allPaths.contains(other) }
    take { own, other in own.allPaths.contains { other.begins(with: $0) || $0.begins(with: other) } }
    return pairs
  }
}
