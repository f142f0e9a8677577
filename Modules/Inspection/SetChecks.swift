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
    for (author, files) in byAuthor.sorted(by: { $0.key < $1.key }) {
      // What others have said again need not be there, nor what was removed because whole stores contain it.
      let reached = max(reader.superseded[author] ?? 0, floor[author])
      verification.findings += sequenceFindings(author, files, after: reached)
      verification.noteGaps(files, of: author, after: reached, in: reader.hierarchy)
      verification.sets += files.count
      if verification.depth == .names { continue }
      let hashes = Dictionary(grouping: files, by: \.name.sequence).mapValues { $0.map(\.name.hash) }
      await SetReading(reader: reader).run(files) { file, result in
        visitor?.visit(reader.inspected(file, result))
        return Checked(
          file, result, { contentFindings($0, file, after: hashes[file.name.sequence &- 1] ?? []) })
      } consume: { file, checked in
        for value in checked.mentions { contents.mentions[value] = file.path }
        switch checked.failure {
        case nil: verification.findings += checked.findings
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
    return contents
  }

  /// What is left of a set when it has been looked at. The set itself may be large.
  private struct Checked: Sendable {
    var mentions: [LongValue] = []
    var findings: [Finding] = []
    var failure: ReadingFailure?

    init(
      _ file: DocumentReader.SetFile, _ result: Result<ChangeSet, ReadingFailure>,
      _ findings: (ChangeSet) -> [Finding]
    ) {
      switch result {
      case .success(let set):
        mentions = set.missingLongValues
        self.findings = findings(set)
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
    let rivals = Dictionary(grouping: files, by: \.name.sequence).filter { $0.value.count > 1 }.keys.sorted()
    for sequence in rivals {
      findings.append(
        Finding(
          .rivalSets, path: folder,
          message: "There is more than one set \(sequence): two copies of one store went on under one name.",
          next: "Sync the devices that were restored or copied; each takes a name of its own."))
    }
    let last = sequences.max() ?? 0
    // A hostile name may claim any sequence; only the gaps between names that exist are listed.
    var expected = reached + 1
    for sequence in sequences.sorted() where sequence >= expected {
      if sequence > expected {
        let missing =
          sequence - expected == 1 ? "Set \(expected) is" : "Sets \(expected) to \(sequence - 1) are"
        findings.append(
          Finding(
            .gap, path: folder, message: "\(missing) missing, though there is set \(last).",
            next: "Wait until the storage has delivered all files, then run: ticds-inspect verify \(remote)"))
      }
      expected = sequence + 1
    }
    return findings
  }

  private func finding(_ file: DocumentReader.SetFile, _ failure: ReadingFailure) -> Finding {
    let restore = "Restore the file from a copy of the remote; devices that have applied it are not affected."
    return Finding(
      failure.findingCode, path: file.path.description,
      message: "Set \(file.name.sequence) cannot be used: \(failure.description).", next: restore)
  }

  private func contentFindings(
    _ set: ChangeSet, _ file: DocumentReader.SetFile, after before: [ContentHash]
  ) -> [Finding] {
    if set.author != file.author || set.sequence != file.name.sequence {
      return [
        Finding(
          .misplaced, path: file.path.description,
          message: "The file holds set \(set.sequence) of author \(set.author).",
          next: "Compare it with a copy of the remote.")
      ]
    }
    let isContinuous =
      set.sequence == 1 ? set.previous == nil : before.isEmpty || set.previous.map(before.contains) == true
    if isContinuous { return [] }
    return [
      Finding(
        .brokenChain, path: file.path.description,
        message: "Set \(set.sequence) does not continue the set before it.",
        next: "Compare both files with a copy of the remote; one of them was replaced.")
    ]
  }
}
