import ChangeTracking
import SyncProtocol

/// The sets of one author that are missing, as the numbers of those tell that are there.
enum SequenceGaps {
  /// - Parameters:
  ///   - sequences: those that are there.
  ///   - passed: the last one that need not be there.
  ///   - end: the last one that must be there, whether anything says so but its number.
  /// - Returns: the first and last of each gap, in order.
  static func missing(
    from sequences: Set<UInt64>, after passed: UInt64, through end: UInt64 = 0
  ) -> [ClosedRange<UInt64>] {
    var next = passed &+ 1
    var gaps: [ClosedRange<UInt64>] = []
    for sequence in sequences.sorted() where sequence >= next {
      if sequence > next { gaps.append(next...sequence - 1) }
      next = sequence &+ 1
    }
    if end >= next { gaps.append(next...end) }
    return gaps
  }
}

/// The sets of a document that are named, or were there, and cannot be read.
struct HistoryHoles {
  /// The first and last set of each hole, by author, in order.
  private(set) var ranges: [AuthorID: [ClosedRange<UInt64>]] = [:]

  /// - Parameters:
  ///   - damaged: files that are not what they should be.
  ///   - verification: what else was found.
  init(_ reader: DocumentReader, damaged: Set<RemotePath>, _ verification: Verification) {
    let readable = reader.setsByAuthor.mapValues { $0.filter { !damaged.contains($0.path) } }
    let sequences = readable.mapValues { Set($0.map(\.name.sequence)) }
    let floor = verification.floors[reader.hierarchy.root] ?? VersionVector()
    var ends = floor.sequences
    for (author, head) in reader.newestHeads { ends[author] = max(ends[author] ?? 0, head.sequence) }
    for (author, sets) in reader.mentions {
      ends[author] = max(ends[author] ?? 0, sets.map(\.sequence).max() ?? 0)
    }
    for (author, sets) in reader.setsByAuthor {
      let last = sets.last { !damaged.contains($0.path) || !reader.isUnannounced($0) }
      ends[author] = max(ends[author] ?? 0, last?.name.sequence ?? 0)
    }
    for (author, end) in ends {
      let holes = SequenceGaps.missing(
        from: sequences[author] ?? [], after: reader.superseded[author] ?? 0, through: end)
      if !holes.isEmpty { ranges[author] = holes }
    }
    addBranches(reader, readable, verification, floor)
  }

  /// Adds sets in whose place those of another branch lie: a set goes on from them, or a head names them.
  private mutating func addBranches(
    _ reader: DocumentReader, _ readable: [AuthorID: [DocumentReader.SetFile]],
    _ verification: Verification, _ floor: VersionVector
  ) {
    for finding in verification.findings where [.brokenChain, .branchAwaited].contains(finding.code) {
      guard let path = RemotePath(finding.path), path.names.starts(with: reader.hierarchy.root.names),
        case .set(let name, let author) = FileRole(path: path.names, kind: .file)
      else { continue }
      add(author, name.sequence - 1, after: reader.superseded[author] ?? 0)
    }
    for head in reader.rivalHeads(among: readable) {
      add(head.author, head.sequence, after: max(reader.superseded[head.author] ?? 0, floor[head.author]))
    }
  }

  private mutating func add(_ author: AuthorID, _ sequence: UInt64, after passed: UInt64) {
    guard sequence > passed, ranges[author]?.contains(where: { $0.contains(sequence) }) != true else {
      return
    }
    ranges[author, default: []].append(sequence...sequence)
    ranges[author]?.sort { $0.lowerBound < $1.lowerBound }
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// Leaves out what a whole store contains.
  mutating func remove(_ contents: VersionVector) {
    ranges = ranges.reduce(into: [:]) { rest, entry in
      let contained = contents[entry.key]
      let holes = entry.value.compactMap { hole -> ClosedRange<UInt64>? in
        hole.upperBound <= contained ? nil : max(hole.lowerBound, contained + 1)...hole.upperBound
      }
      if !holes.isEmpty { rest[entry.key] = holes }
    }
  }
}

extension DocumentReader {
  /// Whether nothing but its own name tells of a set, though its author tells of others: if its content is not that set, the name is wrong, and
  /// nothing is missing before it.
  func isUnannounced(_ file: SetFile) -> Bool {
    guard let head = newestHeads[file.author] else { return false }
    let mentioned = mentions[file.author]?.map(\.sequence).max() ?? 0
    return file.name.sequence > max(head.sequence, mentioned)
  }

  /// Heads that name a set in whose place there are only others, of another copy of the store: nothing else tells that it is missing.
  ///
  /// - Parameter present: the sets that are there, by author.
  func rivalHeads(among present: [AuthorID: [SetFile]]) -> [HeadName] {
    let candidates = heads.filter { newestHeads[$0.author] != $0 && $0.set != nil }
    guard !candidates.isEmpty else { return [] }
    let authors = Set(candidates.map(\.author))
    let names = present.filter { authors.contains($0.key) }.mapValues { Set($0.map(\.name)) }
    let sequences = names.mapValues { Set($0.map(\.sequence)) }
    return candidates.filter { head in
      guard let set = head.set, let own = names[head.author], !own.contains(set) else { return false }
      return sequences[head.author]?.contains(set.sequence) == true && isGenuine(head) != false
    }
  }
}
