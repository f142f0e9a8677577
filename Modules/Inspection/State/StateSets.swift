import ChangeTracking
import SyncProtocol

/// The sets of a document that count at a moment, as a device would merge them: each author's in their order and without gap.
struct StateSets {
  let reader: DocumentReader
  let moment: StateMoment
  /// What a whole store contains that was begun with.
  var contained = VersionVector()

  /// Of each author, up to where sets count; nothing for an author of whom none does.
  private let last: [AuthorID: UInt64]
  /// Authors whose sets lie here and belong in another document, with that.
  private let strays: [AuthorID: DocumentHierarchy]

  /// - Throws: ``ReadingFailure`` if the head that decides cannot be read.
  init(_ reader: DocumentReader, at moment: StateMoment) async throws(ReadingFailure) {
    self.reader = reader
    self.moment = moment
    var last: [AuthorID: UInt64] = [:]
    let strays = reader.strayAuthors()
    self.strays = strays
    if case .seen(let author) = moment {
      guard let head = reader.newestHeads[author] else {
        throw .format("there is no head of author \(author)")
      }
      last = try await reader.read(head).vector.sequences
      last[author] = head.sequence
    } else {
      last = reader.setsByAuthor.compactMapValues { $0.last?.name.sequence }
      for (author, end) in await reader.namedEnds() {
        // What nobody names is not published. Of an author whose head was lost, what is there counts.
        last[author] = reader.newestHeads[author] == nil ? max(end, last[author] ?? 0) : end
      }
    }
    for author in strays.keys { last[author] = nil }
    self.last = last
  }

  /// What heads and mentions name.
  private static func named(_ reader: DocumentReader) -> [AuthorID: Set<SetName>] {
    var named = reader.mentions
    for head in reader.heads where reader.isGenuine(head) != false {
      if let set = head.set { named[head.author, default: []].insert(set) }
    }
    return named
  }

  /// A set that counts, and whether those before it are passed over because somebody has said them again.
  struct Element {
    let received: ReceivedSet
    let isAfterRestatement: Bool
  }

  /// Calls `body` with each set.
  ///
  /// - Returns: what is missing, in words for a person.
  func forEach(_ body: (Element) async throws -> Void) async throws -> [String] {
    var omissions = Set(strays.values.map(\.document)).sorted().map {
      "sets that belong in the document “\($0)” by the names of their authors"
    }
    let files = reader.setsByAuthor
    let named = Self.named(reader)
    for (author, end) in last.sorted(by: { $0.key < $1.key }) {
      let published = await published(files[author] ?? [], named[author] ?? [])
      if let omission = try await forEach(published, of: author, through: end, body) {
        omissions.append(omission)
      }
    }
    return omissions + unnamed(files)
  }

  /// Sets that lie there after those that heads and mentions name: what is meant to count now may be with them.
  private func unnamed(_ files: [AuthorID: [DocumentReader.SetFile]]) -> [String] {
    guard moment == .now else { return [] }
    return last.sorted { $0.key < $1.key }.compactMap { author, end in
      let reached = max(end, contained[author], reader.superseded[author] ?? 0)
      let later = files[author]?.filter { $0.name.sequence > reached } ?? []
      guard let first = later.first else { return nil }
      return
        "\(later.count == 1 ? "set \(first.name.sequence)" : "\(later.count) sets from \(first.name.sequence) on") of author \(author): no head names \(later.count == 1 ? "it" : "them"); a synchronisation may be running, or older heads were put back"
    }
  }

  private func forEach(
    _ files: [DocumentReader.SetFile], of author: AuthorID, through end: UInt64,
    _ body: (Element) async throws -> Void
  ) async throws -> String? {
    var reached = contained[author]
    var breach: String?
    // A restored store numbers anew what it said before: the sets beside the chain of a whole store count too.
    for file in files where file.name.sequence > contained[author] && file.name.sequence <= end {
      try Task.checkCancellation()
      let sequence = file.name.sequence
      let isAfterGap = sequence > reached + 1
      if isAfterGap, reader.superseded[author] ?? 0 < sequence - 1 {
        return missing(reached + 1, of: author, because: "it is not there")
      }
      let set: ChangeSet
      do {
        set = try await reader.read(file)
      } catch {
        return missing(sequence, of: author, because: error.description)
      }
      if let words = set.otherIdentity(than: file) { return missing(sequence, of: author, because: words) }
      if case .until(let time) = moment, set.changes.contains(where: { $0.time.milliseconds > time }) {
        return breach
      }
      if breach == nil, let branch = missingBranch(before: set, file, among: files) { breach = branch }
      try await body(
        Element(
          received: ReceivedSet(set: set, hash: file.name.hash), isAfterRestatement: isAfterGap))
      reached = sequence
    }
    // Of a folder that was not listed nothing is known, and that is said by itself.
    if reached < end, reader.superseded[author] ?? 0 < end, reader.areSetsListed(of: author) {
      return missing(reached + 1, of: author, because: "it is not there")
    }
    return breach
  }

  /// What is missing where a set continues another one than lies before it; `nil` if it does not.
  private func missingBranch(
    before set: ChangeSet, _ file: DocumentReader.SetFile, among files: [DocumentReader.SetFile]
  ) -> String? {
    let reached = max(contained[file.author], reader.superseded[file.author] ?? 0)
    let before = files.hashes(of: set.sequence &- 1)
    guard let breach = BranchChecks.breach(set, file, after: before, reached: reached), !breach.isImpossible
    else { return nil }
    return
      "set \(set.sequence - 1) of author \(file.author), which set \(set.sequence) continues: that of another copy of the store lies in its place"
  }

  private func missing(_ sequence: UInt64, of author: AuthorID, because reason: String) -> String {
    "set \(sequence) of author \(author), and what follows it: \(reason)"
  }

  /// Leaves out, of several sets with one number, those from which nothing goes on that is named: an author may have uploaded them
  /// before its store was restored.
  private func published(
    _ files: [DocumentReader.SetFile], _ named: Set<SetName>
  ) async -> [DocumentReader.SetFile] {
    let doubled = Dictionary(grouping: files, by: \.name.sequence).filter { $0.value.count > 1 }
    guard let lowest = doubled.keys.min() else { return files }
    var known = named
    for file in files.reversed() where file.name.sequence > lowest && known.contains(file.name) {
      guard let previous = try? await reader.read(file).previous else { continue }
      known.insert(SetName(sequence: file.name.sequence - 1, hash: previous))
    }
    return files.filter { file in
      guard let rivals = doubled[file.name.sequence] else { return true }
      return known.contains(file.name) || !rivals.contains { known.contains($0.name) }
    }
  }

  /// Whether first sets are not there that count, whatever has become of them: a whole store may contain them.
  var lackBeginnings: Bool {
    last.contains { author, end in
      let first = reader.setsByAuthor[author]?.first?.name.sequence ?? .max
      return first > 1 && min(end, first - 1) > reader.superseded[author] ?? 0
    }
  }

  /// Whether a whole store contains more sets than count: storage has lost the heads and sets of authors whom nothing else tells.
  func areFewer(than stores: [WholeStoreName]) -> Bool {
    guard moment == .now else { return false }
    let sum = last.values.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
    return stores.contains { $0.total > sum }
  }

  /// Whether a set is not there that counts, because it was removed when whole stores contained it.
  func removed(below floor: VersionVector) -> Bool {
    let first = reader.setsByAuthor.compactMapValues {
      $0.map(\.name.sequence).min()
    }
    return last.contains { author, end in
      let start = first[author] ?? .max
      return start > 1 && floor[author] > 0 && min(end, start - 1) > reader.superseded[author] ?? 0
    }
  }

  /// Whether all sets that something contains count, of which the latest time is given in milliseconds.
  func covers(_ contents: VersionVector, latest time: UInt64) -> Bool {
    switch moment {
    case .now: true
    case .until(let moment): time <= moment
    case .seen: contents.sequences.allSatisfy { $0.value <= last[$0.key] ?? 0 }
    }
  }
}
