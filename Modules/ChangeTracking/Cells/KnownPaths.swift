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
    }
  }

  /// Lets all paths of one number stand for another.
  func replace(_ number: Int, by other: Int, in space: Space) throws {
    let (root, kind) = space.stored
    try connection.run(
      "UPDATE TICDS_NAME SET number = ? WHERE root = ? AND kind = ? AND number = ?", .integer(Int64(other)),
      .integer(root), .integer(kind), .integer(Int64(number)))
    spaces[space] = nil
  }

  private func bind(_ space: Space, to statement: Statement) throws {
    try statement.bind(space.stored.root, at: 1)
    try statement.bind(space.stored.kind, at: 2)
  }
}

/// Finds out what somebody else means by a path of names.
struct NameResolution {
  let known: [NamePath: Int]
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
    let former = path.formerPaths.lazy.compactMap { known[$0] }.first
    if let former, isLocal.contains(former) { return Answer(number: former) }
    let later = local.first { own in own.path.formerPaths.contains { path.begins(with: $0) } }?.number
    if let former { return Answer(number: later ?? former, united: later == nil ? nil : former) }
    if let later { return Answer(number: later) }
    return Answer(number: local.isEmpty ? nil : likely(path, isLocal))
  }

  private func likely(_ path: NamePath, _ isLocal: Set<Int>) -> Int? {
    let paths = path.allPaths
    return known.filter { other, number in
      isLocal.contains(number)
        && (path.begins(with: other) || paths.contains { other.begins(with: $0) })
    }.map(\.value).min()
  }

  /// What only other devices know, though the local model shows it under a name that is related.
  ///
  /// - Returns: pairs of what is to be united, each into what the local model shows.
  func relatives() -> [(foreign: Int, local: Int)] {
    let isLocal = Set(local.map(\.number))
    let foreign = known.filter { !isLocal.contains($0.value) }.sorted { $0.value < $1.value }
    var pairs: [(Int, Int)] = []
    var taken: Set<Int> = []
    func take(_ relates: (_ own: NamePath, _ other: NamePath) -> Bool) {
      for (own, number) in local {
        for (other, foreign) in foreign where !taken.contains(foreign) && relates(own, other) {
          taken.insert(foreign)
          pairs.append((foreign, number))
        }
      }
    }
    take { own, other in own.allPaths.contains(other) }
    take { own, other in own.allPaths.contains { other.begins(with: $0) || $0.begins(with: other) } }
    return pairs
  }
}
