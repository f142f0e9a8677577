import TICDSSQLite

/// Every path of names by which an entity or a property was ever called, with its number: `TICDS_NAME`.
final class KnownPaths {
  /// What is called by names.
  enum Space: Hashable {
    case entities
    /// Entities that only others know, below a root: what one says to be below another root is another entity.
    case entitiesBelow(EntityNumber)
    /// Properties of one kind, of all entities below a root.
    case properties(root: EntityNumber, kind: Int64)
    /// What the local model calls its entities, by itself.
    case ownEntities
    /// What the local model calls properties, by itself.
    case ownProperties(root: EntityNumber, kind: Int64)

    fileprivate var stored: (root: Int64, kind: Int64) {
      switch self {
      case .entities: (0, -1)
      case .entitiesBelow(let root): (Int64(root.rawValue), -1)
      case .ownEntities: (0, -2)
      case .ownProperties(let root, let kind): (Int64(root.rawValue), -3 - kind)
      case .properties(let root, let kind): (Int64(root.rawValue), kind)
      }
    }
  }

  private let connection: Connection
  /// What has been read, by path.
  private var spaces: [Space: [NamePath: Int]] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// All paths with their numbers.
  func all(in space: Space) throws -> [NamePath: Int] {
    if let known = spaces[space] { return known }
    let statement = try connection.cached("SELECT path, number FROM TICDS_NAME WHERE root = ? AND kind = ?")
    try bind(space, to: statement)
    var known: [NamePath: Int] = [:]
    while try statement.step() {
      known[try NamePath(stored: statement.blob(0), in: connection)] = Int(clamping: statement.int64(1))
    }
    spaces[space] = known
    return known
  }

  /// The number of exactly this path.
  func number(of path: NamePath, in space: Space) throws -> Int? { try all(in: space)[path] }

  /// All paths of a number, the longest first.
  func paths(of number: Int, in space: Space) throws -> [NamePath] {
    try all(in: space).filter { $0.value == number }.map(\.key).sorted { $0.names.count > $1.names.count }
  }

  /// What others call entities that only they know, below roots.
  func allBelowRoots() throws -> [(path: NamePath, number: Int)] {
    let statement = try connection.cached(
      "SELECT path, number FROM TICDS_NAME WHERE root <> 0 AND kind = -1 ORDER BY number, path")
    var known: [(path: NamePath, number: Int)] = []
    while try statement.step() {
      known.append(
        (try NamePath(stored: statement.blob(0), in: connection), Int(clamping: statement.int64(1))))
    }
    return known
  }

  /// Notes a path that does not stand for something yet.
  func insert(_ path: NamePath, _ number: Int, in space: Space) throws {
    guard try all(in: space)[path] == nil else { return }
    let statement = try connection.cached("INSERT OR IGNORE INTO TICDS_NAME VALUES (?, ?, ?, ?)")
    try bind(space, to: statement)
    try statement.bind(path.stored, at: 3)
    try statement.bind(Int64(number), at: 4)
    try statement.run()
    spaces[space]?[path] = number
  }

  /// Lets all paths of some numbers stand for others, whatever the count, in one look at the names.
  func replace(_ numbers: [Int: Int], in space: Space) throws {
    let (root, kind) = space.stored
    // An entity may be known below several roots.
    let isBelowAnyRoot = kind == Space.entities.stored.kind
    let statement = try connection.cached(
      "SELECT root, path, number FROM TICDS_NAME WHERE \(isBelowAnyRoot ? "" : "root = ?2 AND ")kind = ?1")
    try statement.bind(kind, at: 1)
    if !isBelowAnyRoot { try statement.bind(root, at: 2) }
    var replaced: [(root: Int64, path: [UInt8], number: Int)] = []
    while try statement.step() {
      guard let number = numbers[Int(clamping: statement.int64(2))] else { continue }
      replaced.append((statement.int64(0), statement.blob(1), number))
    }
    for name in replaced {
      try connection.run(
        "UPDATE TICDS_NAME SET number = ? WHERE root = ? AND kind = ? AND path = ?",
        .integer(Int64(name.number)), .integer(name.root), .integer(kind), .blob(name.path))
    }
    spaces = [:]
  }

  /// Lets one path stand for something else.
  func move(_ path: NamePath, to number: Int, in space: Space) throws {
    let (root, kind) = space.stored
    try connection.run(
      "UPDATE TICDS_NAME SET number = ? WHERE root = ? AND kind = ? AND path = ?", .integer(Int64(number)),
      .integer(root), .integer(kind), .blob(path.stored))
    spaces[space]?[path] = number
  }

  /// Lets a path of the local model stand for what it calls by it, where others have told that it stands for something else of the model.
  ///
  /// - Parameter own: the numbers of all that the local model names in the space.
  func claim(_ path: NamePath, for number: Int, of own: Set<Int>, in space: Space) throws {
    guard let other = try self.number(of: path, in: space), other != number, own.contains(other) else {
      return
    }
    try move(path, to: number, in: space)
  }

  /// Puts what is called by names below one root below another.
  func moveEntities(below root: EntityNumber, to other: EntityNumber) throws {
    try connection.run(
      "UPDATE OR REPLACE TICDS_NAME SET root = ? WHERE root = ? AND kind = -1",
      .integer(Int64(other.rawValue)),
      .integer(Int64(root.rawValue)))
    spaces[.entitiesBelow(root)] = nil
    spaces[.entitiesBelow(other)] = nil
  }

  /// Forgets what the local model calls its own entities.
  func removeOwnEntities() throws { try remove(where: "kind = -2") { $0 == .ownEntities } }

  /// Forgets what the local model calls its own properties.
  func removeOwnProperties() throws {
    try remove(where: "kind < -2") { if case .ownProperties = $0 { true } else { false } }
  }

  private func remove(where condition: String, _ isRemoved: (Space) -> Bool) throws {
    try connection.run("DELETE FROM TICDS_NAME WHERE " + condition)
    spaces = spaces.filter { !isRemoved($0.key) }
  }

  private func bind(_ space: Space, to statement: Statement) throws {
    try statement.bind(space.stored.root, at: 1)
    try statement.bind(space.stored.kind, at: 2)
  }
}
