import ChangeTracking

/// What one listing of `RecentSyncs` says.
public struct HeadListing: Hashable, Sendable {
  /// The heads of each author, oldest first; never empty.
  public private(set) var heads: [AuthorID: [HeadName]] = [:]
  /// Entries that are no heads of ours.
  public private(set) var foreign: [String]

  /// Sorts what was listed.
  public init(_ listing: RemoteListing) {
    foreign = listing.foreign
    for entry in listing.entries {
      if entry.kind == .file, let head = HeadName(entry.name) {
        heads[head.author, default: []].append(head)
      } else {
        foreign.append(entry.name.description)
      }
    }
    for author in heads.keys { heads[author]?.sort() }
  }

  /// Sorts heads.
  public init(_ heads: [HeadName]) {
    self.init(RemoteListing(entries: heads.map { RemoteEntry(name: $0.name, kind: .file) }))
  }

  /// The same listing without some heads.
  public func removing(_ names: Set<HeadName>) -> HeadListing {
    var rest = self
    rest.heads = heads.mapValues { $0.filter { !names.contains($0) } }.filter { !$0.value.isEmpty }
    return rest
  }

  /// All heads, in order.
  public var all: [HeadName] { heads.values.joined().sorted() }

  /// The authors, in order.
  public var authors: [AuthorID] { heads.keys.sorted() }

  /// The newest head of an author.
  public func newest(of author: AuthorID) -> HeadName? { heads[author]?.last }

  /// Heads of an author that name the same sequence as the newest, but another set: two copies of one store went on
  /// under one name.
  public func siblings(of author: AuthorID) -> [HeadName] {
    guard let newest = newest(of: author) else { return [] }
    return (heads[author] ?? []).filter { $0.sequence == newest.sequence && $0.hash != newest.hash }
  }
}
