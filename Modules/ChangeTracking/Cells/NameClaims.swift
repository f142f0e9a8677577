/// What others tell of names that the local model does not know: which paths are of one thing, and of which thing of the local model.
///
/// Two paths are of one thing if one is what the other was before, or if one tells more of what came before than the other. Paths of
/// which the local model tells by itself (``OwnNames``) say something about those connected with them, but connect no others. So what a
/// path stands for depends on which paths have been told, not on the order; if the claims on it contradict each other it stands for
/// nothing local, and a contradiction once told is never resolved by telling more.
final class NameClaims {
  /// What of the local model a path stands for.
  enum Meaning: Equatable {
    case nothing
    case one(Int)
    /// Several things are claimed to have had the name.
    case contradictory
  }

  /// Things that are claimed to have had one name.
  struct Contradiction: Hashable {
    var name: String
    var numbers: [Int]
  }

  /// Whether something that only others know turned out to be of the local model.
  private(set) var hasNewRelatives = false
  /// What has come up since the last call of ``forgetContradictions()``.
  private(set) var contradictions: [Contradiction] = []

  private let own: OwnNames
  /// The paths are the ways down a tree of names: from a path to one that tells one more former name.
  private var branches: [Branch: Int] = [:]
  private var branchCount = 1
  private var elements: [Element] = []
  /// The path that ends at a branch.
  private var ends: [Int: Int] = [:]
  /// Paths that tell more than a branch at which none ends yet.
  private var longer: [Int: [Int]] = [:]

  private struct Branch: Hashable {
    var from: Int
    var name: Word
  }

  /// A name by its number: every part of a path is followed down the tree, so each name is compared many times.
  private typealias Word = Int
  private var words: [String: Word] = [:]

  /// A path, in a forest of those that are of one thing.
  private struct Element {
    var name: String
    /// What the local model says by itself.
    var owner: Int?
    var parent: Int
    /// Of the top of a tree: what it is claimed to be, two at most, and whether only others know one of the paths by a number.
    var claims: [Int] = []
    var isForeign = false
  }

  init(_ own: OwnNames, told: [(path: NamePath, isForeign: Bool)]) {
    self.own = own
    for (path, isForeign) in told { insert(path, isForeign: isForeign) }
    hasNewRelatives = false
  }

  /// Notes what somebody tells.
  ///
  /// - Parameter isForeign: whether the path has a number that is not of the local model.
  func insert(_ path: NamePath, isForeign: Bool) {
    var owners: [Int] = []
    var newer: Int?
    let words = path.names.map(word)
    let lastOwn = path.names.lastIndex(where: own.knows) ?? -1
    for (age, start) in path.partStarts.enumerated() {
      let element = element(of: path, words, from: start, mayBeOwn: start <= lastOwn)
      if let owner = elements[element].owner {
        if age == 0, isForeign { hasNewRelatives = true }
        owners.append(owner)
        continue
      }
      for owner in owners { claim(element, owner) }
      if let newer { connect(newer, element) }
      newer = element
      if age == 0, isForeign {
        let top = top(element)
        elements[top].isForeign = true
        look(at: top)
      }
    }
  }

  /// What a path stands for that has been told, or is part of one that has.
  ///
  /// - Parameter start: where in the path the part begins that is meant.
  func meaning(of path: NamePath, from start: Int = 0) -> Meaning {
    var branch = 0
    for name in path.names[start...] {
      guard let word = words[name], let next = branches[Branch(from: branch, name: word)] else {
        return .nothing
      }
      branch = next
    }
    guard let end = ends[branch] else { return .nothing }
    if let owner = elements[end].owner { return .one(owner) }
    let claims = elements[top(end)].claims
    return claims.count > 1 ? .contradictory : claims.first.map(Meaning.one) ?? .nothing
  }

  // MARK: The forest

  private func word(_ name: String) -> Word {
    if let known = words[name] { return known }
    words[name] = words.count
    return words.count - 1
  }

  /// - Parameters:
  ///   - words: the names of the path.
  ///   - start: where in the path the part begins that is meant.
  ///   - mayBeOwn: whether the part has a name in it that the local model knows.
  private func element(of path: NamePath, _ words: [Word], from start: Int, mayBeOwn: Bool) -> Int {
    var branch = 0
    var passed: [Int] = []
    for index in start..<words.count {
      // What something else was called before does not tell less of the same.
      if index > start, !path.names[index].isEmpty { passed.append(branch) }
      let step = Branch(from: branch, name: words[index])
      if let next = branches[step] {
        branch = next
      } else {
        branches[step] = branchCount
        branch = branchCount
        branchCount += 1
      }
    }
    if let known = ends[branch] { return known }
    let new = elements.count
    let part = path.part(from: start)
    elements.append(
      Element(name: part.name, owner: mayBeOwn ? own.number(of: part) : nil, parent: new))
    ends[branch] = new
    for other in passed {
      if let end = ends[other] { relate(end, new) } else { longer[other, default: []].append(new) }
    }
    for other in longer.removeValue(forKey: branch) ?? [] { relate(new, other) }
    return new
  }

  private func relate(_ one: Int, _ other: Int) {
    switch (elements[one].owner, elements[other].owner) {
    case (nil, nil): connect(one, other)
    case (nil, let owner?): claim(one, owner)
    case (let owner?, nil): claim(other, owner)
    default: break
    }
  }

  private func top(_ element: Int) -> Int {
    var top = element
    while elements[top].parent != top {
      elements[top].parent = elements[elements[top].parent].parent
      top = elements[top].parent
    }
    return top
  }

  private func connect(_ one: Int, _ other: Int) {
    let (top, below) = (self.top(one), self.top(other))
    guard top != below else { return }
    elements[below].parent = top
    if elements[below].isForeign { elements[top].isForeign = true }
    let before = max(elements[top].claims.count, elements[below].claims.count)
    for owner in elements[below].claims { add(owner, to: top) }
    settle(top, before, elements[other].name)
  }

  private func claim(_ element: Int, _ owner: Int) {
    let top = top(element)
    let before = elements[top].claims.count
    add(owner, to: top)
    settle(top, before, elements[element].name)
  }

  private func add(_ owner: Int, to top: Int) {
    guard elements[top].claims.count < 2, !elements[top].claims.contains(owner) else { return }
    elements[top].claims.append(owner)
  }

  private func settle(_ top: Int, _ before: Int, _ name: String) {
    look(at: top)
    guard before < 2, elements[top].claims.count == 2 else { return }
    contradictions.append(Contradiction(name: name, numbers: elements[top].claims))
  }

  private func look(at top: Int) {
    if elements[top].isForeign, elements[top].claims.count == 1 { hasNewRelatives = true }
  }

  /// Notes that what has come up is known.
  func forgetContradictions() { contradictions = [] }
}
