import ChangeTracking
import SyncProtocol

/// Authors whose sets no head names: they are named again, unless that made devices wait for what nobody can give them.
extension RepairPlanner {
  mutating func name(_ folder: RemotePath) {
    guard let document = document(of: folder), case .author(let author)? = nodes[folder]?.role,
      document.strayAuthors()[author] == nil
    else { return }
    let last = lastOfChain(of: author, document)
    if takesHead(of: author, naming: last?.sequence ?? 0, document) { return }
    guard let last else { return }
    // Whose sets an encrypted remote holds, its keys prove.
    let isProven = document.application.keys.isEncrypted ? true : isKnown(author, document)
    guard isProven else {
      plan.notes.append(
        "Nothing but the sets in “\(folder)” tells of their author: no head, no device, nobody who has them. They may have been copied here from another remote, so no repair names them. If a device of this document made them, synchronise it; else move the folder away."
      )
      return
    }
    mention(last, author, document)
  }

  /// Names what lies there after the set that the newest head of an author names: its device may be gone, and the head be an old one that
  /// was put back.
  mutating func nameLater(than path: RemotePath) {
    guard let document = document(of: path), case .head(let head)? = nodes[path]?.role,
      document.isGenuine(head) == true, let last = lastOfChain(of: head.author, document),
      last.sequence > head.sequence, document.mentions[head.author]?.contains(last) != true,
      !takesHead(of: head.author, naming: last.sequence, document)
    else { return }
    mention(last, head.author, document)
  }

  /// Takes a head from the other copy that names as much at least.
  private mutating func takesHead(
    of author: AuthorID, naming sequence: UInt64, _ document: DocumentReader
  ) -> Bool {
    guard let other, other.isSame(document), let head = other.heads(of: document)[author],
      head.sequence >= sequence
    else { return false }
    takeFromOther(document.hierarchy.file(of: head))
    return true
  }

  /// The last set of an author that can be used, and before which none is missing or cannot be used. Devices that are told of a later one wait
  /// for what they lack, for thirty days where nobody has it.
  private func lastOfChain(of author: AuthorID, _ document: DocumentReader) -> SetName? {
    let root = document.hierarchy.root
    var usable: [UInt64: SetName] = [:]
    for set in document.setsByAuthor[author] ?? [] where !verification.unusable.contains(set.path) {
      usable[set.name.sequence] = set.name
    }
    var last = max(verification.floors[root]?[author] ?? 0, document.superseded[author] ?? 0)
    if usable[last &+ 1] == nil, let first = usable.keys.filter({ $0 > last }).min(),
      isVacuumed(first - 1, author, document)
    {
      last = first - 1
    }
    while last < .max, usable[last + 1] != nil { last += 1 }
    return usable[last]
  }

  /// Whether anything else tells of an author, or there is nothing that could: sets that were copied from another remote come with nothing.
  private mutating func isKnown(_ author: AuthorID, _ document: DocumentReader) -> Bool {
    let told = toldAuthors(document)
    if told.all.contains(author) { return true }
    // Devices of an application are registered for all its documents, and sets may have been copied from one to another.
    for sibling in documents.values
    where sibling.hierarchy.root != document.hierarchy.root
      && sibling.hierarchy.application.root == document.hierarchy.application.root
    {
      if sibling.setsByAuthor[author] != nil || toldAuthors(sibling).all.contains(author) { return false }
    }
    return isOfClient(author, document) || !told.isAnyWithSets
  }

  /// Authors of whom something tells beside their sets.
  struct ToldAuthors {
    var all: Set<AuthorID>
    /// Whether sets of one of them lie there, or of one whose device is registered.
    var isAnyWithSets: Bool
  }

  /// Found out once for each document: whoever can write there makes thousands of authors.
  private mutating func toldAuthors(_ document: DocumentReader) -> ToldAuthors {
    if let told = told[document.hierarchy.root] { return told }
    let all = authorsTold(document)
    let isAny = document.setsByAuthor.keys.contains { all.contains($0) || isOfClient($0, document) }
    let found = ToldAuthors(all: all, isAnyWithSets: isAny)
    told[document.hierarchy.root] = found
    return found
  }

  private func authorsTold(_ document: DocumentReader) -> Set<AuthorID> {
    let root = document.hierarchy.root
    var authors = Set((verification.seen[root] ?? VersionVector()).sequences.keys)
    authors.formUnion(document.newestHeads.keys)
    authors.formUnion(document.mentions.keys)
    authors.formUnion(document.superseded.keys)
    authors.formUnion(document.removed)
    authors.formUnion(document.deviceNames.map(\.author))
    authors.formUnion(verification.floors[root]?.sequences.keys.map { $0 } ?? [])
    for (path, contents) in verification.storeContents where path.parent == document.hierarchy.wholeStore {
      authors.formUnion(contents.sequences.keys)
    }
    return authors
  }

  /// Whether a device is registered here that has made the sets, as they say.
  private func isOfClient(_ author: AuthorID, _ document: DocumentReader) -> Bool {
    let client = verification.clients[document.hierarchy.changes(of: author)].flatMap { RemoteName($0) }
    return client.map { nodes[document.hierarchy.application.clientDevices.appending($0)] != nil } ?? false
  }

  /// Removes mentions of authors of whom nothing else is left, once what they name was asked for in vain: devices wait for it. One that has it
  /// after all mentions it again.
  mutating func takeBackMentions() {
    for (_, document) in documents.sorted(by: { $0.key < $1.key }) {
      let usable = Set(document.sets.filter { !verification.unusable.contains($0.path) }.map(\.author))
      for case .mention(let mention) in document.entries.map(\.role)
      where document.isGenuine(mention) == true && document.newestHeads[mention.author] == nil
        && !usable.contains(mention.author) && isAskedInVain(for: mention, document)
      {
        putAside(
          document.hierarchy.file(of: mention),
          "It names a set of which no device had a copy for a day, and nothing else of its author is there.")
        lost.removeAll { lost in
          guard lost.document.root == document.hierarchy.root, case .set(let author, _) = lost.subject else {
            return false
          }
          return author == mention.author
        }
      }
    }
  }

  private func isAskedInVain(for mention: Mention, _ document: DocumentReader) -> Bool {
    document.repairRequests(for: .set(author: mention.author, sequence: mention.set.sequence)).contains {
      $0.count >= DocumentSyncManager.retirementCount && !isFresh(document.hierarchy.file(of: $0))
    }
  }
}
