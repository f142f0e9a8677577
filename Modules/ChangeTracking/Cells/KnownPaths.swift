import SQLite

/// Every path of names by which an entity or a property was ever called, with its number: `TICDS_NAME`.
///
/// A path that is known stands for the paths it had before it, unless they stand for something else.
final class KnownPaths {
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

  private let connection: Connection
  /// What has been read, by path.
  private var spaces: [Space: [NamePath: Int]] = [:]
  /// The same by present names, of spaces in which somebody has looked for them.
  private var presentNames: [Space: [String: [NamePath]]] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// All paths with their numbers.
  func all(in space: Space) throws -> [NamePath: Int] {
    if let known = spaces[space] { return known }
    let statement = try connection.cached("SELECT path, number FROM TICDS_NAME WHERE root = ? AND kind = ?")
    try bind(space, to: statement)
    var known: [NamePath: Int] = [:]
    while try statement.step() {
      known[try NamePath(stored: statement.blob(0))] = Int(clamping: statement.int64(1))
    }
    spaces[space] = known
    return known
  }

  /// All paths by their present names.
  func byName(in space: Space) throws -> [String: [NamePath]] {
    if let known = presentNames[space] { return known }
    let paths = Dictionary(grouping: try all(in: space).keys, by: \.name)
    presentNames[space] = paths
    return paths
  }

  /// The number of exactly this path.
  func number(of path: NamePath, in space: Space) throws -> Int? { try all(in: space)[path] }

  /// What the first of some paths that is known stands for, of those that are wanted.
  func number(of paths: [NamePath], in space: Space, _ isWanted: (Int) -> Bool) throws -> Int? {
    let known = try all(in: space)
    return paths.lazy.compactMap { known[$0] }.first(where: isWanted)
  }

  /// All paths of a number, the longest first.
  func paths(of number: Int, in space: Space) throws -> [NamePath] {
    try all(in: space).filter { $0.value == number }.map(\.key).sorted { $0.names.count > $1.names.count }
  }

  /// Notes a path and those before it, as far as they do not stand for something.
  func insert(_ path: NamePath, _ number: Int, in space: Space) throws {
    for path in path.allPaths where try all(in: space)[path] == nil {
      let statement = try connection.cached("INSERT OR IGNORE INTO TICDS_NAME VALUES (?, ?, ?, ?)")
      try bind(space, to: statement)
      try statement.bind(path.stored, at: 3)
      try statement.bind(Int64(number), at: 4)
      try statement.run()
      spaces[space]?[path] = number
      presentNames[space]?[path.name, default: []].append(path)
    }
  }

  /// Lets all paths of one number stand for another.
  func replace(_ number: Int, by other: Int, in space: Space) throws {
    let (root, kind) = space.stored
    try connection.run(
      "UPDATE TICDS_NAME SET number = ? WHERE root = ? AND kind = ? AND number = ?", .integer(Int64(other)),
      .integer(root), .integer(kind), .integer(Int64(number)))
    spaces[space] = nil
    presentNames[space] = nil
  }

  private func bind(_ space: Space, to statement: Statement) throws {
    try statement.bind(space.stored.root, at: 1)
    try statement.bind(space.stored.kind, at: 2)
  }
}
