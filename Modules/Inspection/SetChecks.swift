import ChangeTracking
import Crypto
import SyncProtocol

extension Verification {
  /// Missing sets of one gap that are told one by one, at most.
  static let gapLimit = 256

  fileprivate mutating func note(
    _ gaps: [ClosedRange<UInt64>], of author: AuthorID, after passed: UInt64, in document: DocumentHierarchy
  ) {
    for missing in gaps.lazy.flatMap({ $0.prefix(Self.gapLimit) }) where missing > passed {
      lost.append(Lost(document: document, subject: .set(author: author, sequence: missing)))
    }
  }
}

/// Checks each set by itself and the chain of each author's sets.
struct SetChecks {
  let reader: DocumentReader
  let remote: String
  /// Those of the application.
  let documents: [DocumentReader]
  /// Looks at each set as well.
  var visitor: (any SetVisitor)?
  /// Of each author, the last set that each whole store contains which opens.
  var stores: [VersionVector] = []

  /// What the sets say together; nothing if only names are looked at.
  struct Contents {
    /// Long values, each with a set that mentions it.
    var mentions: [LongValue: RemotePath] = [:]
    /// Whether all sets could be read.
    var isComplete = true
    /// Of each author, the last set that need not be there.
    var floor = VersionVector()
  }

  func run(_ verification: inout Verification) async -> Contents {
    var contents = Contents()
    let said = await reader.floor()
    let unsaid = unsaidFloor(said)
    let floor = said.union(unsaid)
    contents.floor = floor
    if floor != said {
      verification.findings.append(floorMissing)
      verification.unsaidFloors[reader.hierarchy.root] = unsaid
    }
    // What the removed sets mention cannot be known, unless it was said again.
    if floor.sequences.contains(where: { $0.value > reader.superseded[$0.key] ?? 0 }) {
      contents.isComplete = false
    }
    if !reader.areSetsListed { contents.isComplete = false }
    // Floors and statements that sets are said again may lie where nothing was listed.
    let isPassedKnown = reader.areHeadsListed && !(reader.isWithoutRecord && reader.mayHaveFloors)
    var rivals: [AuthorID: [UInt64]] = [:]
    var breaches: [BranchChecks.Breach] = []
    let strays = reader.strayAuthors()
    for (author, files) in reader.setsByAuthor.sorted(by: { $0.key < $1.key }) {
      // What others have said again need not be there, nor what was removed because whole stores contain it.
      let superseded = reader.superseded[author] ?? 0
      let reached = max(superseded, floor[author])
      var sequences = Set(files.lazy.map(\.name.sequence))
      verification.sets += files.count
      // That they lie here is said of their folder.
      if let owner = strays[author] {
        if verification.depth == .data { await checkStrays(files, of: owner, &verification) }
        continue
      }
      // What others have said again since is settled.
      let twice = files.numbersOfMany.filter { $0 > superseded }
      if !twice.isEmpty { rivals[author] = twice }
      if verification.depth == .names {
        if isPassedKnown { note(sequences, of: author, after: reached, &verification) }
        continue
      }
      await SetReading(reader: reader).run(files) { file, result in
        visitor?.visit(reader.inspected(file, result))
        return Checked(
          file, result,
          { set in
            if let finding = misplaced(set, file) { return .misplaced(finding) }
            return BranchChecks.breach(
              set, file, after: files.hashes(of: file.name.sequence &- 1), reached: reached
            ).map { .breach($0) }
          })
      } consume: { file, checked in
        for value in checked.mentions { contents.mentions[value] = file.path }
        if checked.failure != nil || checked.fault != nil { verification.unusable.insert(file.path) }
        if !checked.isThisSet, reader.isUnannounced(file), !twice.contains(file.name.sequence) {
          sequences.remove(file.name.sequence)
        }
        switch checked.failure {
        case nil:
          switch checked.fault {
          case .misplaced(let finding)?: verification.findings.append(finding)
          case .breach(let breach)?: breaches.append(breach)
          case nil: break
          }
        case let failure?:
          contents.isComplete = false
          if !verification.passesOver(failure, at: file.path) {
            verification.findings.append(finding(file, failure))
          }
        }
      }
      if Task.isCancelled { return contents }
      if isPassedKnown { note(sequences, of: author, after: reached, &verification) }
    }
    if isPassedKnown {
      await BranchChecks(reader: reader, remote: remote).run(rivals, breaches, &verification)
    }
    return contents
  }

  /// Checks sets that belong in another document by what they are there.
  private func checkStrays(
    _ files: [DocumentReader.SetFile], of hierarchy: DocumentHierarchy, _ verification: inout Verification
  ) async {
    guard let owner = documents.first(where: { $0.hierarchy.root == hierarchy.root }) else { return }
    await SetReading(reader: owner).run(files) { file, result in
      visitor?.visit(reader.inspected(file, result, of: hierarchy.document))
      return Checked(file, result) { set in misplaced(set, file).map { .misplaced($0) } }
    } consume: { file, checked in
      if case .misplaced(let finding)? = checked.fault { verification.findings.append(finding) }
      if let failure = checked.failure {
        if verification.passesOver(failure, at: file.path) { return }
        verification.findings.append(finding(file, failure))
      }
      guard checked.failure != nil || checked.fault != nil else { return }
      verification.unusable.insert(file.path)
      let isThere = owner.setsByAuthor[file.author]?.contains { $0.name.sequence == file.name.sequence }
      if isThere != true {
        verification.lost.append(
          .init(document: hierarchy, subject: .set(author: file.author, sequence: file.name.sequence)))
      }
    }
  }

  /// Notes what is missing before the sets that are there.
  ///
  /// A hostile name may claim any sequence; only the gaps between names that exist are listed.
  private func note(
    _ sequences: Set<UInt64>, of author: AuthorID, after reached: UInt64, _ verification: inout Verification
  ) {
    let gaps = SequenceGaps.missing(from: sequences, after: reached)
    verification.findings += gaps.flatMap { findings(author, $0, last: sequences.max() ?? 0) }
    verification.note(gaps, of: author, after: reader.unreadableFloor, in: reader.hierarchy)
  }

  /// Of each author whose first sets are not there although no floor says so, the last of these: if whole stores contain them, nobody misses
  /// them who begins, and storage has lost what says that they were removed.
  ///
  /// Only a vacuum removes what as many whole stores contain as it keeps. Where a floor is there, what it does not cover is missed, and so is a
  /// set whose name is there still.
  private func unsaidFloor(_ said: VersionVector) -> VersionVector {
    var unsaid = VersionVector()
    guard said.sequences.isEmpty, reader.areHeadsListed, reader.areSetsListed,
      reader.node.children.contains(where: { $0.path == reader.hierarchy.syncChanges && $0.isFolder }),
      let one = stores.first, stores.count >= VacuumPolicy.keptStores
    else { return unsaid }
    let contained = stores.reduce(one) { $0.intersection($1) }
    let covered = Set(
      reader.entries.compactMap { node -> AuthorID? in
        guard node.takenPlace != nil, case .set(_, let author) = node.roleOfName else { return nil }
        return author
      })
    let first = reader.setsByAuthor.compactMapValues { $0.first?.name.sequence }
    for (author, last) in contained.sequences where !covered.contains(author) {
      let end = first[author].map { $0 - 1 } ?? reader.newestHeads[author]?.sequence ?? 0
      if end > reader.superseded[author] ?? 0, last >= end { unsaid[author] = end }
    }
    return unsaid
  }

  private var floorMissing: Finding {
    Finding(
      .floorMissing, path: reader.hierarchy.recentSyncs.description,
      message:
        "First sets are not there that whole stores contain, and nothing says that they were removed for that: storage has lost the floor that said so, or the sets.",
      next:
        "Nobody who joins needs them. Vacuum on a device, and once more a day later: it says again what need not be there. Until then a device that lacks these sets waits for them for 30 days."
    )
  }

  /// What is left of a set when it has been looked at. The set itself may be large.
  private struct Checked: Sendable {
    enum Fault: Sendable {
      case misplaced(Finding)
      case breach(BranchChecks.Breach)
    }

    var mentions: [LongValue] = []
    var fault: Fault?
    var failure: ReadingFailure?

    /// Whether the content is that of the set as which the file is named, as far as it was delivered and could be opened.
    var isThisSet: Bool {
      switch (failure, fault) {
      case (.wrongHash, _), (.sealed, _), (.format, _), (.notSealed, _), (_, .misplaced): false
      default: true
      }
    }

    init(
      _ file: DocumentReader.SetFile, _ result: Result<ChangeSet, ReadingFailure>,
      _ fault: (ChangeSet) -> Fault?
    ) {
      switch result {
      case .success(let set):
        mentions = set.missingLongValues
        self.fault = fault(set)
      case .failure(let failure): self.failure = failure
      }
    }
  }

  private func findings(_ author: AuthorID, _ gap: ClosedRange<UInt64>, last: UInt64) -> [Finding] {
    let folder = reader.hierarchy.changes(of: author).description
    var findings: [Finding] = []
    // A floor that cannot be opened may be why those up to its bound are not there.
    let unjudged = min(gap.upperBound, reader.unreadableFloor)
    if unjudged >= gap.lowerBound, reader.application.areKeysListed {
      findings.append(
        Finding(
          .gapUnjudged, path: folder,
          message:
            "\(subject(gap.lowerBound...unjudged)) not there. Whether they are missing or were removed because whole stores contain them could not be judged without the password.",
          next: "Verify with the password: ticds-inspect verify \(remote) --password-file FILE"))
    }
    let first = max(gap.lowerBound, reader.unreadableFloor &+ 1)
    if first <= gap.upperBound {
      findings.append(
        Finding(
          .gap, path: folder,
          message: "\(subject(first...gap.upperBound)) missing, though there is set \(last).",
          next: Finding.waiting(remote)))
    }
    return findings
  }

  /// The subject and verb of a sentence about sets.
  private func subject(_ sets: ClosedRange<UInt64>) -> String {
    sets.count == 1 ? "Set \(sets.lowerBound) is" : "Sets \(sets.lowerBound) to \(sets.upperBound) are"
  }

  private func finding(_ file: DocumentReader.SetFile, _ failure: ReadingFailure) -> Finding {
    let restore =
      (reader.remains.foundings.isEmpty
        ? ""
        : "It may be of a document that had the same name and was deleted: delete that once more from a device that took part in it. If it stays: ")
      + "Restore the file from a copy of the remote; devices that have applied it are not affected."
    return Finding(
      failure, path: file.path,
      message: "Set \(file.name.sequence) cannot be used: \(failure.description).", next: restore)
  }

  private func misplaced(_ set: ChangeSet, _ file: DocumentReader.SetFile) -> Finding? {
    if set.author == file.author, set.sequence == file.name.sequence { return nil }
    return Finding(
      .misplaced, path: file.path.description,
      message: "The file holds set \(set.sequence) of author \(set.author).",
      next:
        "Compare it with a copy of the remote. If that set is missing, a repair gives the file its place: ticds-inspect repair \(remote)"
    )
  }
}

/// The sets of one author, by their names.
extension [DocumentReader.SetFile] {
  /// The numbers that more than one set bears.
  fileprivate var numbersOfMany: [UInt64] {
    var many: [UInt64] = []
    for (before, file) in zip(self, dropFirst())
    where before.name.sequence == file.name.sequence && many.last != file.name.sequence {
      many.append(file.name.sequence)
    }
    return many
  }

  /// The hashes of the sets that bear a number.
  func hashes(of sequence: UInt64) -> [ContentHash] {
    // Searched, not kept by number: there is a list for each set otherwise.
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].name.sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return self[low...].prefix { $0.name.sequence == sequence }.map(\.name.hash)
  }
}
