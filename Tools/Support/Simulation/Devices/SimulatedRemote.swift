import ChangeTracking

/// Storage that every client sees differently: files come late, in any order, vanish for a while and come back.
final class SimulatedRemote {
  private struct File {
    var set: FrozenSet
    /// The clients from which the file is hidden at present.
    var hidden: Set<String>
  }

  private var files: [File] = []
  private var longValues: [ContentHash: [UInt8]] = [:]
  private var random: SeededRandomSource
  private let clients: [String]
  /// Whether storage has settled: everybody sees everything.
  var isSettled = false
  private let forgesTwins: Bool
  private let twinsKeepEntities: Bool

  init(clients: [String], seed: UInt64, forgesTwins: Bool, twinsKeepEntities: Bool) {
    self.clients = clients
    self.forgesTwins = forgesTwins
    self.twinsKeepEntities = twinsKeepEntities
    random = SeededRandomSource(seed: seed)
  }

  /// Every set that was ever uploaded, decoded.
  func allSets() throws -> [ChangeSet] { try files.map { try CompactCodec.decode($0.set.bytes) } }

  /// Every long value that was ever uploaded.
  var allLongValues: [ContentHash: [UInt8]] { longValues }

  func upload(_ bytes: [UInt8], as hash: ContentHash) { longValues[hash] = bytes }

  /// Those of some long values that storage shows at present.
  func longValues(_ wanted: [LongValue], seenBy client: String) -> FetchedLongValues {
    var fetched = FetchedLongValues()
    for value in wanted {
      guard let bytes = longValues[value.hash], isSettled || Bool.random(using: &random) else { continue }
      _ = fetched.add(bytes, as: value)
    }
    return fetched
  }

  func upload(_ set: FrozenSet) throws {
    if files.contains(where: { $0.set.hash == set.hash && $0.set.author == set.author }) { return }
    add(set)
    if forgesTwins, !isSettled, random.oneIn(3),
      let twin = try ForgedTwin(of: set, keepsEntities: twinsKeepEntities, using: &random)
    {
      add(twin.set)
    }
  }

  private func add(_ set: FrozenSet) {
    let hidden = clients.filter { _ in Bool.random(using: &random) }
    files.append(File(set: set, hidden: Set(hidden)))
  }

  /// A file is seen by nobody for a while.
  func loseOne() {
    if let index = files.indices.randomElement(using: &random) { files[index].hidden = Set(clients) }
  }

  /// Storage shows some files and hides others.
  func shuffle() {
    for index in files.indices where Int.random(in: 0..<4, using: &random) == 0 {
      guard let client = clients.randomElement(using: &random) else { continue }
      if files[index].hidden.remove(client) == nil { files[index].hidden.insert(client) }
    }
  }

  private func visible(to client: String) -> [FrozenSet] {
    files.filter { isSettled || !$0.hidden.contains(client) }.map(\.set)
  }

  /// The last set of each author.
  func published() -> VersionVector {
    var published = VersionVector()
    for file in files { published[file.set.author] = max(published[file.set.author], file.set.sequence) }
    return published
  }

  /// Whether storage shows sets of the replica's author that the replica has not made.
  func holdsUnknownWork(of replica: Replica, seenBy client: String) throws -> Bool {
    let author = try replica.author
    return try visible(to: client).contains { set in
      try set.author == author && !replica.knows(set.hash, of: author, sequence: set.sequence)
    }
  }

  /// What a client can apply: of each other author the contiguous sets that follow those it has, and forks.
  func news(for replica: Replica, seenBy client: String) throws -> [[ReceivedSet]] {
    let own = try replica.author
    let vector = try replica.vector()
    var batches: [[ReceivedSet]] = []
    let byAuthor = Dictionary(grouping: visible(to: client).filter { $0.author != own }, by: \.author)
    for (author, sets) in byAuthor.sorted(by: { $0.key < $1.key }) {
      var next = vector[author] + 1
      for set in sets.sorted(by: { ($0.sequence, $0.hash.description) < ($1.sequence, $1.hash.description) })
      {
        if set.sequence < next {
          if try replica.knows(set.hash, of: author, sequence: set.sequence) { continue }
        } else if set.sequence > next {
          break
        } else {
          next += 1
        }
        var received = ReceivedSet(set: try CompactCodec.decode(set.bytes), hash: set.hash)
        let missing = received.set.missingLongValues
        if !missing.isEmpty { received.set.fill(with: longValues(missing, seenBy: client)) }
        // Sometimes one transaction for several sets, sometimes one for each.
        if Bool.random(using: &random) || batches.isEmpty {
          batches.append([received])
        } else {
          batches[batches.count - 1].append(received)
        }
      }
    }
    // A file may come twice.
    if let again = batches.randomElement(using: &random), Bool.random(using: &random) {
      batches.append(again)
    }
    return batches
  }
}
