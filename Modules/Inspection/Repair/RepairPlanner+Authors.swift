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
