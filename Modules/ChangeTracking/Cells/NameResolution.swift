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
