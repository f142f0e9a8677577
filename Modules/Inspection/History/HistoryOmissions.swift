import ChangeTracking

/// What of the history on a remote cannot be looked at, as it is known before a set is read.
public struct HistoryOmissions: Sendable {
  /// A set that somebody names and that is not there, the first of its author; others may follow.
  public struct MissingSet: Hashable, Sendable {
    /// The document's identifier.
    public let document: String
    /// Whose it is.
    public let author: AuthorID
    /// Its number.
    public let sequence: UInt64
  }

  /// Folders that were not listed: sets may lie in them.
  public internal(set) var unlisted: [UnlistedFolder] = []
  /// Sets that are not there, by document and author. What was said again, or removed because whole stores contain it, is not missed.
  public internal(set) var missing: [MissingSet] = []

  /// Nothing.
  public init() {}

  init(unlisted: [UnlistedFolder]) { self.unlisted = unlisted }

  /// Whether nothing is known to be left out.
  public var isEmpty: Bool { unlisted.isEmpty && missing.isEmpty }
}

extension HistoryOmissions {
  /// Adds what shows only once sets are read.
  mutating func add(_ branches: MissingBranches, of document: DocumentReader) {
    let name = document.hierarchy.document.description
    for (author, sequence) in branches.first.sorted(by: { $0.key < $1.key }) {
      let known = missing.firstIndex { $0.document == name && $0.author == author }
      if let known, missing[known].sequence <= sequence { continue }
      if let known { missing.remove(at: known) }
      missing.append(MissingSet(document: name, author: author, sequence: sequence))
    }
  }

  mutating func add(_ document: DocumentReader) async {
    for (author, first) in await document.firstMissing().sorted(by: { $0.key < $1.key }) {
      missing.append(
        MissingSet(document: document.hierarchy.document.description, author: author, sequence: first))
    }
  }
}
