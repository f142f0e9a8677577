/// What the local model calls its own, and what follows from that alone for the names that others use.
///
/// The answers depend on nothing that anybody tells, so they are the same whatever was heard before: names that others tell as former
/// never redirect a path that the local model knows by itself.
struct OwnNames {
  /// The paths of the local model and what they were before.
  private var numbers: [NamePath: Int] = [:]
  private var byName: [String: [NamePath]] = [:]
  /// What the local model calls its own, by number. Siblings may call one bit by different names.
  let paths: [Int: [NamePath]]

  init(_ own: [(path: NamePath, number: Int)]) {
    paths = Dictionary(grouping: own, by: \.number).mapValues { $0.map(\.path) }
    for (path, number) in own where numbers[path] == nil { numbers[path] = number }
    for (path, number) in own {
      for former in path.formerPaths where numbers[former] == nil { numbers[former] = number }
    }
    byName = Dictionary(grouping: numbers.keys, by: \.name)
  }

  /// Whether a number is of something of the local model.
  func contains(_ number: Int) -> Bool { paths[number] != nil }

  /// Whether something of the local model bears a name, or bore it. A path that has no such name in it stands for none of it.
  func knows(_ name: String) -> Bool { byName[name] != nil }

  /// What of the local model bears exactly this path, or bore it.
  func bearer(of path: NamePath) -> Int? { numbers[path] }

  /// What of the local model a path stands for by the names in it; `nil` if the local model does not tell.
  ///
  /// - Parameter preferred: what the path stands for rather than for others.
  func number(of path: NamePath, preferring preferred: Set<Int>? = nil) -> Int? {
    // The strongest claim of all, found without a search.
    if let number = numbers[path], preferred?.contains(number) ?? true { return number }
    if let preferred, let number = claim(on: path, { preferred.contains($0) })?.number { return number }
    return claim(on: path, { _ in true })?.number
  }

  /// A name in a path that the local model knows as a former one of something else than of what a newer name in it is.
  func contradiction(in path: NamePath) -> NameClaims.Contradiction? {
    guard path.names.count > 1 else { return nil }
    for part in path.formerPaths {
      guard let number = numbers[part], let own = paths[number], !own.contains(part) else { continue }
      let newer = path.names.prefix(path.names.count - part.names.count)
      for (other, known) in paths.sorted(by: { $0.key < $1.key }) where other != number {
        guard known.contains(where: { newer.contains($0.name) }),
          !known.contains(where: { $0.formerPaths.contains(part) })
        else { continue }
        return NameClaims.Contradiction(name: part.name, numbers: [number, other])
      }
    }
    return nil
  }

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

  private func claim(on path: NamePath, _ isWanted: (Int) -> Bool) -> Claim? {
    var strongest: Claim?
    for (age, start) in path.partStarts.enumerated() {
      guard let others = byName[path.names.isEmpty ? "" : path.names[start]] else { continue }
      let part = path.part(from: start)
      for other in others where part.begins(with: other) || other.begins(with: part) {
        guard let number = numbers[other], isWanted(number) else { continue }
        let own = paths[number, default: []]
        let isFormer = own.contains { $0.formerPaths.contains(other) }
        let kind = part == other ? 0 : isFormer && part.begins(with: other) ? 1 : 2
        let claim = Claim(kind: kind, age: age, name: own.map(\.name).min() ?? "", number: number)
        strongest = min(claim, strongest ?? claim)
      }
    }
    return strongest
  }
}
