/// Where one replica of a document stands, as it tells the others.
public struct ReplicaPosition: Hashable, Sendable {
  /// The author of the replica's sets.
  public var author: AuthorID
  /// The last set that it has made, pushed or not.
  public var sequence: UInt64
  /// What it has merged of others.
  public var applied: VersionVector

  /// Describes a position.
  public init(author: AuthorID, sequence: UInt64, applied: VersionVector) {
    self.author = author
    self.sequence = sequence
    self.applied = applied
  }
}

/// What all replicas of a document have merged: what was deleted there need not be remembered any more.
///
/// A deletion may be forgotten once nothing can arrive that was written without knowledge of it (it is *causally stable*: see
/// Baquero, Almeida, Shoker, "Making Operation-based CRDTs Operation-based", 2014). That takes two things: every replica has
/// merged it (``merged``), and whoever forgets it has merged all that the replicas had made until then (``made``); what they
/// make later bears greater times.
///
/// The positions must be those of *all* replicas that may ever write again. A replica that is not among them, or a copy of a
/// store from before, is beyond the horizon: it must begin anew from a snapshot (``Replica/isBehind(_:)``).
public struct Horizon: Hashable, Sendable {
  /// Of each author, the sets that every replica has merged.
  public private(set) var merged = VersionVector()
  /// Of each author, the sets that there were.
  public private(set) var made: VersionVector

  /// Finds the horizon of all replicas.
  ///
  /// - Parameters:
  ///   - positions: what every replica that may ever write again has merged and made.
  ///   - published: of each author, also those that no replica writes as any more, the last set that is known to exist.
  public init(positions: [ReplicaPosition], published: VersionVector = VersionVector()) {
    made = published
    var authors = Set(published.sequences.keys)
    for position in positions {
      made[position.author] = max(made[position.author], position.sequence)
      for (author, sequence) in position.applied.sequences { made[author] = max(made[author], sequence) }
      authors.formUnion(position.applied.sequences.keys)
      authors.insert(position.author)
    }
    for author in authors {
      let sequences = positions.map { $0.author == author ? $0.sequence : $0.applied[author] }
      merged[author] = sequences.min() ?? 0
    }
  }
}

/// What was forgotten.
public struct CollectedTombstones: Hashable, Sendable {
  /// Records of objects that are deleted everywhere.
  public var objects = 0
  /// Cells of to-many links that are removed everywhere.
  public var links = 0
}
