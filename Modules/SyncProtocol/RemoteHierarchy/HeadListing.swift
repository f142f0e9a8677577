import ChangeTracking

/// What one listing of `RecentSyncs` says.
public struct HeadListing: Hashable, Sendable {
  /// The heads of each author, oldest first; never empty.
  public private(set) var heads: [AuthorID: [HeadName]] = [:]
  /// The sets of each author that devices name because no head does, in order; never empty.
  public private(set) var mentions: [AuthorID: [Mention]] = [:]
  /// What others ask for.
  public private(set) var requests: [ResendRequest] = []
  /// Whose sets others have said again.
  public private(set) var supersessions: [Supersession] = []
  /// Below which sets nothing needs to lie there, as far as that was said.
  public private(set) var floors: [HistoryFloor] = []
  /// Which authors were removed, in order.
  public private(set) var removals: [RemovalName] = []
  /// What devices that were renamed are called, the latest last; never empty.
  public private(set) var renamings: [AuthorID: [RenamingName]] = [:]
  /// Names in the form of one of ours that nobody with a key at hand has written: forged, or of a founding that is not known here.
  public private(set) var unverified: [RemoteName] = []
  /// Names in the same case that speak for devices that were removed. Nobody is told of them: the key may be gone with the device. What they
  /// lead to is not lost as long as a file of that key lies there.
  private(set) var unverifiedOfRemoved: [RemoteName] = []
  /// Names of a document that was deleted and had the same name, in order: they are there still, or storage has put them back.
  public private(set) var ofDeleted: [RemoteName] = []
  /// The authors that these name.
  private(set) var authorsOfDeleted: Set<AuthorID> = []
  /// Names that members have written and that something else bears than a file, in order.
  public private(set) var covered: [RemoteName] = []
  /// Whether there is more in the folder than was looked at.
  public var isCut = false
  /// Entries that are none of ours.
  public private(set) var foreign: [String]

  /// Sorts what was listed.
  ///
  /// - Parameters:
  ///   - listing: of `RecentSyncs`.
  ///   - isGenuine: whether the code of a name is right.
  package init(_ listing: RemoteListing, verifying isGenuine: (any CodedName) -> Bool = { _ in true }) {
    foreign = []
    let files = listing.entries.filter { $0.kind == .file }
    let folders = listing.entries.filter { $0.kind == .folder }.map(\.name.description)
    for text in listing.foreign + folders {
      // Links and the like are listed by their names alone.
      if let name = RemoteName(text), let coded = Self.codedName(name), isGenuine(coded) {
        covered.append(name)
      } else {
        foreign.append(text)
      }
    }
    for entry in files {
      guard let name = Self.codedName(entry.name) else {
        foreign.append(entry.name.description)
        continue
      }
      guard isGenuine(name) else {
        unverified.append(entry.name)
        continue
      }
      switch name {
      case let head as HeadName: heads[head.author, default: []].append(head)
      case let mention as Mention: mentions[mention.author, default: []].append(mention)
      case let request as ResendRequest: requests.append(request)
      case let supersession as Supersession: supersessions.append(supersession)
      case let floor as HistoryFloor: floors.append(floor)
      case let removal as RemovalName: removals.append(removal)
      case let name as RenamingName: renamings[name.author, default: []].append(name)
      default: foreign.append(entry.name.description)
      }
    }
    let removed = Set(removals.map(\.author))
    if !removed.isEmpty {
      let isOfRemoved = { (name: RemoteName) in Self.codedName(name)?.writer.map(removed.contains) ?? false }
      unverifiedOfRemoved = unverified.filter(isOfRemoved).sorted()
      unverified.removeAll(where: isOfRemoved)
    }
    for author in heads.keys { heads[author]?.sort() }
    for author in mentions.keys { mentions[author]?.sort() }
    unverified.sort()
    covered.sort()
    requests.sort()
    supersessions.sort()
    floors.sort()
    removals.sort()
    for author in renamings.keys { renamings[author]?.sort() }
  }

  /// Names that nobody known here has written, of which at most as many are looked at to find out whether they are of a deleted document.
  private static let lookLimit = 1_024

  /// Sets the names of a deleted document apart from the others that nobody known here has written.
  mutating func setApart(ofDeleted isOfDeleted: (any CodedName) -> Bool) {
    let candidates = (unverified + unverifiedOfRemoved).prefix(Self.lookLimit)
    let found = Set(candidates.filter { Self.codedName($0).map(isOfDeleted) ?? false })
    guard !found.isEmpty else { return }
    unverified.removeAll(where: found.contains)
    unverifiedOfRemoved.removeAll(where: found.contains)
    ofDeleted = found.sorted()
    authorsOfDeleted = Set(found.compactMap { Self.codedName($0) }.flatMap(\.authors))
  }

  /// Reads a name among the heads; `nil` if it has the form of none of ours.
  static func codedName(_ name: RemoteName) -> (any CodedName)? {
    HeadName(name) ?? ResendRequest(name) ?? Supersession(name) ?? Mention(name) ?? HistoryFloor(name)
      ?? RemovalName(name) ?? RenamingName(name)
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

  /// Leaves out requests.
  mutating func remove(_ answered: Set<ResendRequest>) { requests.removeAll(where: answered.contains) }

  /// Puts a head in the place of older ones of its author.
  mutating func replace(_ older: [HeadName], with name: HeadName) {
    self = removing(Set(older))
    heads[name.author] = ((heads[name.author] ?? []) + [name]).sorted()
  }

  /// The same listing with another mention, or without some.
  mutating func mention(_ new: Mention?, without old: Set<Mention> = []) {
    mentions = mentions.mapValues { $0.filter { !old.contains($0) } }.filter { !$0.value.isEmpty }
    if let new { mentions[new.author] = Set((mentions[new.author] ?? []) + [new]).sorted() }
  }

  /// All heads, in order.
  public var all: [HeadName] { heads.values.joined().sorted() }

  /// The authors, in order.
  public var authors: [AuthorID] { Set(heads.keys).union(mentions.keys).sorted() }

  /// Whether heads or mentions tell of an author.
  func tells(of author: AuthorID) -> Bool { heads[author] != nil || mentions[author] != nil }

  /// The sequence of the last set of each author that is named.
  var lastSets: VersionVector {
    var last = VersionVector()
    for author in authors { last[author] = lastSet(of: author)?.sequence ?? 0 }
    return last
  }

  /// The sets of an author that are named, by heads or otherwise.
  public func sets(of author: AuthorID) -> Set<SetName> {
    Set((heads[author] ?? []).compactMap(\.set)).union((mentions[author] ?? []).map(\.set))
  }

  /// The last set of an author that is named; of several under one sequence, the one of the newest head.
  public func lastSet(of author: AuthorID) -> SetName? {
    guard let mentioned = mentions[author]?.last?.set else { return newest(of: author)?.set }
    guard let head = newest(of: author)?.set, head.sequence >= mentioned.sequence else { return mentioned }
    return head
  }

  /// The newest head of an author.
  public func newest(of author: AuthorID) -> HeadName? { heads[author]?.last }

  /// Heads of an author that name the same sequence as the newest, but another set: two copies of one store went on
  /// under one name.
  public func siblings(of author: AuthorID) -> [HeadName] {
    guard let newest = newest(of: author) else { return [] }
    return (heads[author] ?? []).filter { $0.sequence == newest.sequence && $0.hash != newest.hash }
  }
}
