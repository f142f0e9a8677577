import ChangeTracking

/// Which of many foundings devices take part in, as far as heads tell: the code in a head's name is made for its author's founding.
///
/// With encryption only members found. Without, anybody can invent foundings, by names that come before all others and with times later than
/// all others. So where there are more of them than devices make, neither name nor time counts for anything, and what devices publish does.
struct FoundingWitnesses {
  /// The foundings with heads, those of most authors first.
  let foundings: [FoundingName]

  /// Codes that are compared at most. Of more names chance decides which are looked at, so that whoever tries again gets through.
  private static let workLimit = 1 << 17
  /// Foundings that are looked at, at most.
  private static let foundingLimit = 4_096

  /// - Parameters:
  ///   - candidates: the foundings, whose own codes are right.
  ///   - listing: of the folder of heads.
  init(
    of candidates: [FoundingName], _ listing: RemoteListing, _ names: NameAuthenticator,
    _ hierarchy: DocumentHierarchy
  ) {
    let candidates = Self.sample(candidates, Self.foundingLimit)
    let heads = Self.sample(
      listing.names.compactMap { HeadName($0) },
      Self.workLimit / max(1, candidates.count))
    var authors: [FoundingName: Set<AuthorID>] = [:]
    for candidate in candidates {
      for head in heads
      where names.verifies(head.code, hierarchy.statement(head, of: candidate.integrityKey)) {
        authors[candidate, default: []].insert(head.author)
      }
    }
    foundings = authors.sorted { one, other in
      one.value.count != other.value.count ? one.value.count > other.value.count : one.key < other.key
    }.map(\.key)
  }

  private static func sample<Element>(_ elements: [Element], _ limit: Int) -> [Element] {
    elements.count <= limit ? elements : Array(elements.shuffled().prefix(limit))
  }
}

extension SyncError {
  /// What a newcomer is told who cannot know which founding the devices use.
  static func crowded(_ hierarchy: DocumentHierarchy, count: Int) -> SyncError {
    SyncError(
      .tooManyFoundings, subject: hierarchy.document.description,
      "\(count) devices are said to have founded the document, more than can have done so at once, and nothing tells which of these foundings the devices use: somebody may have invented them.",
      recovery:
        "Remove the files in “\(hierarchy.integrityKey)”, synchronise a device that has joined, which puts the right one back within a day, and try again."
    )
  }
}
