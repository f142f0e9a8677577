/// Finds out what somebody else means by a path of names.
///
/// What a path stands for depends on which paths are known, not on the order in which they came: the paths that stand for something
/// of the local model are all those that are connected with it, a path with what it was before (``NamePath/formerPaths``) and two of
/// which one tells more of older names than the other. Of what only other devices know, only paths of one thing that the one has been
/// are connected.
struct NameResolution {
  private let known: [NamePath: Int]
  /// The known paths by their present names.
  private let byName: [String: [NamePath]]
  /// What the local model calls its own, by number.
  private let local: [Int: [NamePath]]

  struct Answer {
    /// What the path stands for; `nil` for something new.
    var number: Int?
    /// Whether something that only other devices know turns out to be the same.
    var unites = false
  }

  init(known: [NamePath: Int], byName: [String: [NamePath]]? = nil, local: [(path: NamePath, number: Int)]) {
    self.known = known
    self.byName = byName ?? Dictionary(grouping: known.keys, by: \.name)
    self.local = Dictionary(grouping: local, by: \.number).mapValues { $0.map(\.path) }
  }

  /// What a path stands for that is not known as it is.
  ///
  /// Who has lived through a renaming tells the former name; who knows less is met by the names that are known here. Only for the
  /// sake of something that the local model shows two paths are taken for one because of names that one of them does not tell.
  ///
  /// - Parameter preferred: numbers of the local model that the path stands for rather than for others.
  func answer(to path: NamePath, preferring preferred: Set<Int>? = nil) -> Answer {
    func local(_ name: String) -> [NamedPath] { named(name).filter { !isForeign($0.number) } }
    func own(_ name: String) -> [NamedPath] { local(name).filter { preferred?.contains($0.number) ?? true } }
    guard let number = (claim(on: path, own) ?? claim(on: path, local))?.number else {
      return Answer(number: path.formerPaths.lazy.compactMap { known[$0] }.first)
    }
    let unites = path.allPaths.contains { part in
      known[part].map(isForeign) ?? false
        || named(part.name).contains { isForeign($0.number) && part.tellsAsMuch(of: $0.path) }
    }
    return Answer(number: number, unites: unites)
  }

  /// What only other devices know, though the local model shows it under a name that is related.
  ///
  /// - Returns: pairs of what is to be united, each into what the local model shows. Uniting them may relate others.
  func relatives() -> [(foreign: Int, local: Int)] {
    // What a local thing was before may be known as something that only others know.
    var parts: [NamePath: Set<Int>] = [:]
    for (path, number) in known where !isForeign(number) {
      for part in path.allPaths where known[part].map({ isForeign($0) || $0 == number }) ?? true {
        parts[part, default: []].insert(number)
      }
    }
    let pairs = parts.flatMap { part, numbers in numbers.map { (part, $0) } }
    let named = Dictionary(grouping: pairs, by: \.0.name)
    var claims: [Int: Claim] = [:]
    for (path, number) in known where isForeign(number) {
      guard let claim = claim(on: path, { named[$0, default: []] }) else { continue }
      claims[number] = min(claim, claims[number] ?? claim)
    }
    return claims.sorted { $0.key < $1.key }.map { ($0.key, $0.value.number) }
  }

  // MARK: Claims

  /// How something of the local model is connected with a path; the least is the strongest.
  private struct Claim: Comparable {
    /// 0 if the path, or what it was before, stands for it; 1 if the path tells more of what it was before; else 2.
    var kind: Int
    /// How many names the path has had since.
    var age: Int
    /// For numbers are given in the order in which names became known.
    var name: String
    var number: Int

    static func < (one: Self, other: Self) -> Bool {
      (one.kind, one.age, one.name, one.number) < (other.kind, other.age, other.name, other.number)
    }
  }

  private typealias NamedPath = (path: NamePath, number: Int)

  /// - Parameter named: paths of local things, by their present names.
  private func claim(on path: NamePath, _ named: (String) -> [NamedPath]) -> Claim? {
    var strongest: Claim?
    for (age, part) in path.allPaths.enumerated() {
      for (other, number) in named(part.name) where part.tellsAsMuch(of: other) {
        let own = local[number, default: []]
        let isFormer = own.contains { $0.formerPaths.contains(other) }
        let kind = part == other ? 0 : isFormer && part.begins(with: other) ? 1 : 2
        let name = own.map(\.name).min() ?? ""
        let claim = Claim(kind: kind, age: age, name: name, number: number)
        strongest = min(claim, strongest ?? claim)
      }
    }
    return strongest
  }

  private func isForeign(_ number: Int) -> Bool { local[number] == nil }

  private func named(_ name: String) -> [NamedPath] {
    byName[name, default: []].compactMap { path in known[path].map { (path, $0) } }
  }
}

extension NamePath {
  /// Whether two paths are one, as far as both tell some.
  fileprivate func tellsAsMuch(of other: NamePath) -> Bool { begins(with: other) || other.begins(with: self) }
}
