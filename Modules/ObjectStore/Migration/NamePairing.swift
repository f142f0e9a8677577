/// Which elements of one version of a model (entities, or properties of an entity) are which of an earlier one, as far as names and
/// renaming identifiers tell.
///
/// In this order, and none of two:
/// 1. Same name and same renaming identifier. A name without identifier is another element's if that one says so.
/// 2. Same renaming identifier, where who has none is identified by the name, as in Core Data; else one that is the earlier name.
/// 3. Same name.
///
/// What nothing tells apart is not paired, and is told in ``ambiguities``. The order in which elements are declared makes no difference.
struct NamePairing {
  /// A name and a renaming identifier.
  struct Names {
    let name: String
    /// `nil` if it is the name.
    let identifier: String?
    /// What stands for the element in all versions.
    var identity: String { identifier ?? name }

    init(_ name: String, _ identifier: String?) {
      self.name = name
      self.identifier = identifier == name ? nil : identifier
    }
  }

  /// An element that may have been several, or one of several that may have been the same.
  struct Ambiguity {
    /// The index of the element in the later version.
    let element: Int
    /// What it may have been: indexes in the earlier version.
    let candidates: [Int]
  }

  /// For each element of the later version the index of the earlier one; `nil` for new ones.
  private(set) var sources: [Int?]
  /// What is told neither to be new nor to be one earlier element, in the order of the later version.
  private(set) var ambiguities: [Ambiguity] = []

  private let later: [Names]
  private let earlier: [Names]
  private var open: Set<Int>
  private var free: Set<Int>

  init(_ later: [Names], from earlier: [Names]) {
    self.later = later
    self.earlier = earlier
    sources = Array(repeating: nil, count: later.count)
    open = Set(later.indices)
    free = Set(earlier.indices)
    pairUnchanged()
    refuseClaimsToUnchanged()
    pair(candidates { $0.identifier })
    pair(candidates { $0.identifier == nil ? $0.name : nil })
    pair(namesakes())
    ambiguities.sort { $0.element < $1.element }
  }

  // MARK: - The same name and identifier

  private mutating func pairUnchanged() {
    let places = Dictionary(
      earlier.indices.map { (earlier[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    func unchanged(_ index: Int) -> Int? {
      places[later[index].name].flatMap { earlier[$0].identifier == later[index].identifier ? $0 : nil }
    }
    for index in open.sorted() where later[index].identifier != nil {
      if let source = unchanged(index) { take(source, for: index) }
    }
    for index in open.sorted() where later[index].identifier == nil {
      guard let source = unchanged(index) else { continue }
      // Others that say they had the name before: earlier ones that said so already may be what they were.
      let claims = open.filter { later[$0].identifier == later[index].name }
      let heirs = free.filter { earlier[$0].identifier == later[index].name }
      if claims.count <= heirs.count { take(source, for: index) }
    }
  }

  /// One that names what is another by rule 1, and nothing else, is not to be guessed.
  private mutating func refuseClaimsToUnchanged() {
    for index in open.sorted() {
      guard let identifier = later[index].identifier,
        !free.contains(where: { earlier[$0].identity == identifier || earlier[$0].name == identifier }),
        let source = earlier.indices.first(where: { earlier[$0].name == identifier })
      else { continue }
      open.remove(index)
      ambiguities.append(Ambiguity(element: index, candidates: [source]))
    }
  }

  // MARK: - One of the candidates

  /// For each open element the free ones that have an identity; where there are none, those that have it as their name.
  private func candidates(_ identity: (Names) -> String?) -> [Int: Set<Int>] {
    var candidates: [Int: Set<Int>] = [:]
    for index in open {
      guard let identity = identity(later[index]) else { continue }
      let identified = free.filter { earlier[$0].identity == identity }
      candidates[index] = identified.isEmpty ? free.filter { earlier[$0].name == identity } : identified
    }
    return candidates
  }

  /// For each open element the free one of the same name.
  private func namesakes() -> [Int: Set<Int>] {
    Dictionary(
      uniqueKeysWithValues: open.map { index in (index, free.filter { earlier[$0].name == later[index].name })
      })
  }

  /// Pairs all of which only one candidate is left, until nothing changes. The rest of those with candidates is ambiguous.
  private mutating func pair(_ candidates: [Int: Set<Int>]) {
    let all = candidates.filter { !$0.value.isEmpty }
    var left = all
    while true {
      let certain = left.filter { $0.value.count == 1 }
      if certain.isEmpty { break }
      for (source, claims) in Dictionary(grouping: certain.keys, by: { left[$0]?.first }) {
        guard let source else { continue }
        if let only = claims.first, claims.count == 1 { take(source, for: only) }
        for claim in claims where claims.count > 1 { refuse(claim, all[claim]) }
      }
      left = left.filter { open.contains($0.key) }.mapValues { $0.intersection(free) }
    }
    for index in left.keys { refuse(index, all[index]) }
  }

  private mutating func take(_ source: Int, for index: Int) {
    sources[index] = source
    open.remove(index)
    free.remove(source)
  }

  private mutating func refuse(_ index: Int, _ candidates: Set<Int>?) {
    let candidates = candidates ?? []
    open.remove(index)
    free.subtract(candidates)
    ambiguities.append(Ambiguity(element: index, candidates: candidates.sorted()))
  }
}
