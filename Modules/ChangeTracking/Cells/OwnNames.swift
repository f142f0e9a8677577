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

  /// What of the local model a path stands for by the names in it; `nil` if the local model does not tell.
  ///
  /// - Parameter preferred: what the path stands for rather than for others.
  func number(of path: NamePath, preferring preferred: Set<Int>? = nil) -> Int? {
    if let preferred, let number = claim(on: path, { preferred.contains($0) })?.number { return number }
    return claim(on: path, { _ in true })?.number
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
    for (age, part) in path.allPaths.enumerated() {
      for other in byName[part.name, default: []] where part.begins(with: other) || other.begins(with: part) {
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
