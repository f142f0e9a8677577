import ChangeTracking
import Crypto
import SyncProtocol

extension Verification {
  /// Missing sets of one author that are told one by one, at most.
  static let gapLimit = 256

  fileprivate mutating func noteGaps(
    _ files: [DocumentReader.SetFile], of author: AuthorID, after passed: UInt64,
    in document: DocumentHierarchy
  ) {
    var expected = passed &+ 1
    for sequence in Set(files.map(\.name.sequence)).sorted() where sequence >= expected {
      for missing in expected..<min(sequence, expected &+ UInt64(Self.gapLimit)) {
        lost.append(Lost(document: document, subject: .set(author: author, sequence: missing)))
      }
      expected = sequence &+ 1
    }
  }
}

/// Checks each set by itself and the chain of each author's sets.
struct SetChecks {
  let reader: DocumentReader
  let remote: String
  /// Looks at each set as well.
  var visitor: (any SetVisitor)?

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
    let floor = await reader.floor()
    contents.floor = floor
    // What the removed sets mention cannot be known, unless it was said again.
    if floor.sequences.contains(where: { $0.value > reader.superseded[$0.key] ?? 0 }) {
      contents.isComplete = false
    }
    let byAuthor = Dictionary(grouping: reader.sets, by: \.author)
    var rivals: [AuthorID: [UInt64]] = [:]
    var breaches: [BranchChecks.Breach] = []
    for (author, files) in byAuthor.sorted(by: { $0.key < $1.key }) {
      // What others have said again need not be there, nor what was removed because whole stores contain it.
      let reached = max(reader.superseded[author] ?? 0, floor[author])
      verification.findings += sequenceFindings(author, files, after: reached)
      verification.noteGaps(
        files, of: author, after: max(reached, reader.unreadableFloor), in: reader.hierarchy)
      verification.sets += files.count
      let twice = Dictionary(grouping: files, by: \.name.sequence).filter { $0.value.count > 1 }.keys.sorted()
      if !twice.isEmpty { rivals[author] = twice }
      if verification.depth == .names { continue }
      let hashes = Dictionary(grouping: files, by: \.name.sequence).mapValues { $0.map(\.name.hash) }
      await SetReading(reader: reader).run(files) { file, result in
        visitor?.visit(reader.inspected(file, result))
        return Checked(
          file, result,
          { set in
            if let finding = misplaced(set, file) { return .misplaced(finding) }
            return BranchChecks.breach(
              set, file, after: hashes[file.name.sequence &- 1] ?? [], reached: reached
            ).map { .breach($0) }
          })
      } consume: { file, checked in
        for value in checked.mentions { contents.mentions[value] = file.path }
        switch checked.failure {
        case nil:
          switch checked.fault {
          case .misplaced(let finding)?: verification.findings.append(finding)
          case .breach(let breach)?: breaches.append(breach)
          case nil: break
          }
        case .locked?:
          contents.isComplete = false
          verification.locked += 1
        case let failure?:
          contents.isComplete = false
          verification.findings.append(finding(file, failure))
        }
      }
      if Task.isCancelled { return contents }
    }
    await BranchChecks(reader: reader, remote: remote).run(rivals, breaches, &verification)
    return contents
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

  private func sequenceFindings(
    _ author: AuthorID, _ files: [DocumentReader.SetFile], after reached: UInt64
  ) -> [Finding] {
    let sequences = Set(files.map(\.name.sequence))
    let folder = reader.hierarchy.changes(of: author).description
    var findings: [Finding] = []
    let last = sequences.max() ?? 0
    // A hostile name may claim any sequence; only the gaps between names that exist are listed.
    var expected = reached + 1
    for sequence in sequences.sorted() where sequence >= expected {
      // A floor that cannot be opened may be why those up to its bound are not there.
      let judged = max(expected, min(sequence, reader.unreadableFloor &+ 1))
      if judged > expected {
        findings.append(
          Finding(
            .gapUnjudged, path: folder,
            message:
              "\(missing(expected, judged)) not there. Whether they are missing or were removed because whole stores contain them could not be judged without the password.",
            next: "Verify with the password: ticds-inspect verify \(remote) --password-file FILE"))
      }
      if sequence > judged {
        findings.append(
          Finding(
            .gap, path: folder,
            message: "\(missing(judged, sequence)) missing, though there is set \(last).",
            next: "Wait until the storage has delivered all files, then run: ticds-inspect verify \(remote)"))
      }
      expected = sequence + 1
    }
    return findings
  }

  /// The subject and verb of a sentence about sets.
  private func missing(_ first: UInt64, _ end: UInt64) -> String {
    end - first == 1 ? "Set \(first) is" : "Sets \(first) to \(end - 1) are"
  }

  private func finding(_ file: DocumentReader.SetFile, _ failure: ReadingFailure) -> Finding {
    let restore = "Restore the file from a copy of the remote; devices that have applied it are not affected."
    return Finding(
      failure.findingCode, path: file.path.description,
      message: "Set \(file.name.sequence) cannot be used: \(failure.description).", next: restore)
  }

  private func misplaced(_ set: ChangeSet, _ file: DocumentReader.SetFile) -> Finding? {
    if set.author == file.author, set.sequence == file.name.sequence { return nil }
    return Finding(
      .misplaced, path: file.path.description,
      message: "The file holds set \(set.sequence) of author \(set.author).",
      next: "Compare it with a copy of the remote.")
  }
}
