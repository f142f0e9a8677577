import ChangeTracking
import Crypto
import SyncProtocol

/// What another copy of the remote has and this one lacks, although nothing need tell of it: each file proves by its name and content what
/// it is, so it is put back wherever nothing here has taken its place.
extension RepairPlanner {
  mutating func restoreFromCopy() {
    guard let other else { return }
    for application in applications where other.isSame(application) {
      for path in other.files(below: application.hierarchy.root)
      where nodes[path] == nil && isWanted(path, application, other) {
        takeFromOther(path)
      }
    }
    for path in passwordsOfCopy { takeFromOther(path) }
    for (_, document) in documents.sorted(by: { $0.key < $1.key })
    where !document.foundings.isEmpty && other.isSame(document) {
      restoreAuthors(of: document, other)
    }
  }

  /// Whether a file that is not there belongs there. Those of authors are looked at together, and so are documents that are lost as a whole.
  private func isWanted(_ path: RemotePath, _ application: ApplicationReader, _ other: OtherRemote) -> Bool {
    let role = FileRole(path: path.names, kind: .file)
    guard path.names.count > 3, path.names.starts(with: application.hierarchy.documents.names) else {
      return isWanted(role, path, application, other)
    }
    guard let document = documents[RemotePath(Array(path.names.prefix(3)))], !document.foundings.isEmpty
    else { return false }
    switch role {
    case .founding(let name): return isMissed(name, path)
    case .acceptance(let name):
      return document.foundings.contains(name.founding) && document.foundings.contains(name.other)
    case .supersession(let statement): return document.isGenuine(statement) == true
    case .floor(let floor):
      return floor.phase == .inForce && document.isGenuine(floor) == true
        && !document.floors.contains { $0.phase == .inForce && $0.total >= floor.total }
    // Authors never come back: whoever was removed and has returned is another one.
    case .removal(let removal):
      return document.isGenuine(removal) == true && !document.removed.contains(removal.author)
    case .deviceName(let name):
      return document.isGenuine(name) == true
        && !document.deviceNames.contains { $0.author == name.author && $0.time >= name.time }
    default: return false
    }
  }

  private func isWanted(
    _ role: FileRole, _ path: RemotePath, _ application: ApplicationReader, _ other: OtherRemote
  ) -> Bool {
    let isReplaced = { (key: KeyIdentifier) in
      application.replacedKeys.contains(key) || application.keysOfFormerPasswords.contains(key)
    }
    // That keys were replaced is known from the other copy alone where the record of the new one is gone, too.
    let replacing = other.replacingKeys(of: application)
    let isFounded = { (key: KeyIdentifier) in
      application.foundedKeys.contains(key) || replacing.contains(key)
    }
    switch role {
    case .deviceInformation(let client): return verification.undescribed.contains(client)
    case .founding(let name):
      guard let key = name.key else { return isMissed(name, path) }
      return !isReplaced(key) && (replacing.contains(key) || isMissed(name, path))
    case .keyFile:
      // One that lies here may lack passwords that were withdrawn.
      guard let key = path.name.flatMap({ KeyFileName($0) })?.key else { return false }
      return isFounded(key) && !isReplaced(key)
        && !application.keyFileNames.contains { $0.key == key }
    case .wrappedKey(let name):
      return isFounded(name.wrapping) && !isReplaced(name.wrapping)
    default: return false
    }
  }

  // MARK: Authors

  private mutating func restoreAuthors(of document: DocumentReader, _ other: OtherRemote) {
    let removed = document.removed
    // Older heads beside those that a newer key seals lead nobody anywhere.
    let unjudged = document.authorsOfOtherKeys
    let present = document.setsByAuthor.mapValues { Set($0.map(\.name.sequence)) }
    var isAnySet = false
    for (author, head) in other.heads(of: document).sorted(by: { $0.key < $1.key }) {
      let own = document.newestHeads[author]
      guard document.isGenuine(head) == true, !unjudged.contains(author),
        own != nil || !removed.contains(author),
        own.map({ head.sequence >= $0.sequence && head.seen >= $0.seen }) ?? true,
        head.sequence == 0 || head.sequence > document.superseded[author] ?? 0
      else { continue }
      // What was removed because whole stores contain it is missed by nobody.
      let passed = max(
        verification.floors[document.hierarchy.root]?[author] ?? 0, document.superseded[author] ?? 0)
      for set in other.sets(in: document.hierarchy.changes(of: author))
      where set.sequence > passed && set.sequence <= head.sequence
        && present[author]?.contains(set.sequence) != true
      {
        takeFromOther(document.hierarchy.file(of: set, by: author))
        isAnySet = true
      }
      takeFromOther(document.hierarchy.file(of: head))
    }
    guard isAnySet else { return }
    // What the sets mention would be found missing once they are there.
    for path in other.usedValues(of: document) { takeFromOther(path) }
  }

  // MARK: Applications

  /// Applications of which nothing is left. Their founding records come last, as those of documents do.
  mutating func restoreApplications() {
    guard let other else { return }
    for hierarchy in other.joinable
    where nodes[hierarchy.root]?.role != .application && !isBlocked(hierarchy.root)
      && !isInOtherCase(hierarchy.root)
    {
      if links.contains(hierarchy.root) || nodes[hierarchy.root].map({ !$0.isFolder }) == true {
        putAside(
          hierarchy.root,
          "It lies where the folder of the application belongs, and is none: a link, which no device follows, or a file."
        )
      }
      let folders = [
        hierarchy.root, hierarchy.clientDevices, hierarchy.founding, hierarchy.documents,
        hierarchy.deletedDocuments,
      ]
      for folder in folders {
        add(RepairAction(path: folder, change: .makeFolder, reason: "The application lay there."))
      }
      let own = other.files(below: hierarchy.root).filter {
        !$0.names.starts(with: hierarchy.documents.names) && FileRole(path: $0.names, kind: .file) != .foreign
      }
      for path in own where path.parent != hierarchy.founding { takeFromOther(path) }
      for lost in other.documents(of: hierarchy) {
        guard let name = lost.root.name else { continue }
        restore(other.files(below: lost.root), of: hierarchy.document(name))
      }
      for path in own where path.parent == hierarchy.founding { takeFromOther(path) }
    }
  }
}
