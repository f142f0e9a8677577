import ChangeTracking
import SyncProtocol

/// Finds, while sets are read, those that continue another set than lies before them: that one is missing, though its number is taken.
struct MissingBranches {
  private let files: [AuthorID: [DocumentReader.SetFile]]
  /// Of each author, the last set that need not be there.
  private let reached: VersionVector
  private let strays: Set<AuthorID>
  /// Of each author, the first set that is missing so.
  private(set) var first: [AuthorID: UInt64] = [:]

  init(_ reader: DocumentReader) async {
    files = reader.setsByAuthor
    strays = Set(reader.strayAuthors().keys)
    var reached = await reader.floor()
    for (author, sequence) in reader.superseded { reached[author] = max(reached[author], sequence) }
    self.reached = reached
  }

  /// Looks at a set that was read.
  mutating func look(at set: ChangeSet, _ file: DocumentReader.SetFile) {
    let author = file.author
    guard !strays.contains(author), set.author == author, set.sequence == file.name.sequence,
      let breach = BranchChecks.breach(
        set, file, after: files[author]?.hashes(of: set.sequence &- 1) ?? [], reached: reached[author]),
      !breach.isImpossible
    else { return }
    first[author] = min(first[author] ?? .max, set.sequence - 1)
  }
}
