import ChangeTracking
import Crypto
import Foundation
import SyncProtocol

/// Decides what is done about each finding. A value without I/O.
///
/// Nothing is put aside on whose presence devices may depend although it is damaged, unless something whole takes its place. What nobody
/// but a person can judge is left.
struct RepairPlanner {
  let applications: [ApplicationReader]
  let documents: [RemotePath: DocumentReader]
  let verification: Verification
  let other: OtherRemote?
  let kept: KeptFiles?
  let nodes: [RemotePath: RemoteNode]
  let damagedPlaces: Set<String>
  /// Places of files and folders in which links lie.
  let links: Set<RemotePath>
  /// The right places of sets whose names are wrong, by where they lie.
  let misnamedSets: [RemotePath: RemotePath]
  /// The right places of sets that lie in another document, by where they lie; `nil` where nobody misses them.
  let straySets: [RemotePath: RemotePath?]
  /// Documents in which sets of another one lie of which not all can be moved to where they belong.
  let mixed: Set<RemotePath>
  /// What the other copy tells of passwords, in the order in which it is put back.
  let passwordsOfCopy: [RemotePath]
  /// Where nothing is done, at a place and below: something is left in the place of a folder, a pipe for instance, a person is to rename
  /// what belongs there, or to judge what it is, or it is not known what lies there.
  private let blocked: Set<String>
  /// Who asks, in the name of the person that repairs.
  let asker: AuthorID
  /// When the plan is made, since 1970.
  let now: Duration

  var plan = RepairPlan()
  /// Whether the store of a device has given anything.
  var isStoreUsed = false
  var written: Set<RemotePath> = []
  var aside: Set<RemotePath> = []
  /// Sets and long values that are gone, or are about to go.
  var lost: [Verification.Lost]

  init(
    _ tree: RemoteNode, _ applications: [ApplicationReader], _ verification: Verification,
    links: Set<RemotePath> = [], misnamedSets: [RemotePath: RemotePath] = [:],
    straySets: [RemotePath: RemotePath?] = [:], other: OtherRemote?, passwordsOfCopy: [RemotePath] = [],
    kept: KeptFiles? = nil, asker: AuthorID,
    now: Duration = .seconds(Date().timeIntervalSince1970)
  ) {
    self.applications = applications
    self.verification = verification
    self.other = other
    self.kept = kept
    self.asker = asker
    self.now = now
    self.links = links
    self.misnamedSets = misnamedSets
    self.straySets = straySets
    self.passwordsOfCopy = passwordsOfCopy
    let unexamined = verification.unexamined
    let all = applications.flatMap(\.documents).filter { !unexamined.contains($0.hierarchy.root) }
    let documents = Dictionary(all.map { ($0.hierarchy.root, $0) }) { first, _ in first }
    self.documents = documents
    let mixed = verification.mixed.filter { root in
      documents[root]?.areStraysFound(straySets, besides: misnamedSets) != true
    }
    self.mixed = mixed
    nodes = Dictionary(tree.all.compactMap { node in node.path.map { ($0, node) } }) { first, _ in first }
    damagedPlaces = Set(
      verification.findings.filter { Self.codesOfDamage.contains($0.code) }.map(\.path))
    let nodes = nodes
    let replaced = verification.findings.filter { finding in
      guard finding.code == .folderReplaced, let path = RemotePath(finding.path) else { return false }
      return nodes[path]?.isFolder != false && !links.contains(path)
    }.map(\.path)
    let unlisted = applications.flatMap(\.unlisted.untouched)
    let untouched =
      verification.renamedPlaces(nodes) + verification.doubted + unexamined + mixed + unlisted
    blocked = Set(replaced).union(untouched.map(\.description))
    lost = verification.lost
  }

  /// What is found of a file in whose place something whole may be put.
  private static let codesOfDamage: Set<Finding.Code> = [
    .damagedFile, .fileReplaced, .notAuthentic, .undecodable, .misplaced, .notSealed, .tooLarge,
    .headContradicts, .wholeStoreDamaged,
  ]

  /// The plan.
  mutating func make() -> RepairPlan {
    for finding in verification.findings {
      let count = plan.actions.count
      let isLost = plan(finding)
      if plan.actions.count == count, !isLost, finding.severity != .hint { plan.left.append(finding) }
    }
    takeBackMentions()
    restoreStraySets()
    restoreLost()
    restoreFromCopy()
    restoreDocuments()
    restoreApplications()
    takeBackRequests()
    plan.left = left()
    // What goes, then folders, then what comes; what is copied goes last.
    let sources = Set(plan.actions.compactMap(\.copied))
    func rank(_ action: RepairAction) -> Int { sources.contains(action.path) ? .max : action.rank }
    plan.actions = plan.actions.enumerated().sorted { one, two in
      (rank(one.element), one.offset) < (rank(two.element), two.offset)
    }.map(\.element)
    return plan
  }

  // MARK: Findings

  /// - Returns: whether it is about something that is lost, which is dealt with later.
  private mutating func plan(_ finding: Finding) -> Bool {
    if [.conflictCopy, .nameInOtherCase].contains(finding.code) {
      if let copied = RemotePath(copy: finding.path) { copy(copied) }
      return false
    }
    guard let path = RemotePath(finding.path), !isBlocked(path) || finding.code == .folderReplaced
    else { return false }
    let node = nodes[path]
    switch finding.code {
    case .damagedFile, .notAuthentic, .undecodable, .misplaced, .notSealed, .tooLarge, .headContradicts,
      .wholeStoreDamaged:
      guard let node else { return false }
      damaged(node, path, finding)
    case .unpublishedSets: nameLater(than: path)
    case .foundingMissing: other?.files(in: path).forEach { takeFromOther($0) }
    case .requestNotEmpty where !isForged(path): replace(path, with: [], finding.message)
    case .acceptanceContent: replace(path, with: Array((path.name?.description ?? "").utf8), finding.message)
    case .readMeChanged: replace(path, with: Array(ApplicationHierarchy.readMeText.utf8), finding.message)
    case .partMissing, .deviceUndescribed: missingParts(node, path)
    case .folderReplaced where node?.isFolder == false || links.contains(path):
      let role = FileRole(path: path.names, kind: .folder)
      // Nothing but what lies there tells of a document that is lost.
      if case .document = role, other?.files(below: path).isEmpty != false { return false }
      putAside(path, finding.message)
      // Those of documents and devices come with what belongs in them.
      switch role {
      case .document, .client: break
      default: add(RepairAction(path: path, change: .makeFolder, reason: "Devices need this folder."))
      }
    case .fileReplaced where node?.isFolder == true || links.contains(path):
      putAside(path, finding.message)
      takeFromOther(path)
      replaced(path)
    case .historyLost, .historyAwaited: restoreHistory(below: path)
    case .floorMissing: restoreBeginnings(below: path)
    case .missingHead: name(path)
    case .gap, .missingSet, .missingValue, .branchAwaited, .brokenChain:
      return canAsk(path) && document(of: path).map { !isBlocked($0.hierarchy.recentSyncs) } ?? false
    default: break
    }
    return false
  }

  private mutating func damaged(_ node: RemoteNode, _ path: RemotePath, _ finding: Finding) {
    if rename(path, finding) { return }
    let document = self.document(of: path)
    // What nobody can be asked for stays where it is, unless the other copy has it.
    if document != nil, !canAsk(path), !isInOther(path) { return }
    switch node.role {
    case .set(let name, let author):
      // Until the record of another document is back nobody can tell whether the set is one of that, and it may be all that is left of it.
      if finding.code == .notAuthentic, isAnyWithoutRecord(besides: path) { return }
      putAside(path, finding.message)
      if let document {
        lost.append(
          .init(document: document.hierarchy, subject: .set(author: author, sequence: name.sequence)))
      }
    case .longValue(let name):
      putAside(path, finding.message)
      if let document {
        lost.append(.init(document: document.hierarchy, subject: .value(name.digits)))
      }
    case .head(let head):
      guard canAsk(path) else { return }
      putAside(path, finding.message)
      if isInOther(path) { return takeFromOther(path) }
      // The name is what counts, and it is genuine: another file says the same.
      if let document, let set = head.set { mention(set, head.author, document) }
    case .removal(let removal):
      guard let document, let bytes = document.note(of: removal, at: now) else { return }
      putAside(path, finding.message)
      if isInOther(path) { return takeFromOther(path) }
      // Its name is what counts; the rest is for people.
      add(
        RepairAction(
          path: path, change: .write(.bytes(bytes)),
          reason: "Its name says that the device was removed; who did it, and when, nobody can tell any more."
        ))
    case .supersession, .wholeStore, .floor, .deviceInformation, .deviceName:
      // A floor or description that cannot be read is as good as none, and devices write it again.
      putAside(path, finding.message)
      takeFromOther(path)
    case .keyFile where !isInOther(path) && isKeyOpened(besides: path):
      putAside(path, "\(finding.message) Another file of the same key opens.")
    case .documentInformation, .founding, .keyFile, .wrappedKey:
      guard isInOther(path) else { return }
      putAside(path, finding.message)
      takeFromOther(path)
    default: return
    }
  }

  /// What a folder in place of a file stood for.
  private mutating func replaced(_ path: RemotePath) {
    guard let document = document(of: path) else {
      if path.name == RemoteName("ReadMe.txt") {
        add(write(path, Array(ApplicationHierarchy.readMeText.utf8)))
      }
      return
    }
    switch FileRole(path: path.names, kind: .file) {
    case .head(let head):
      if document.isGenuine(head) == true, let set = head.set { mention(set, head.author, document) }
    case .request, .mention: add(write(path, []))
    case .acceptance(let name): add(write(path, Array(name.name.description.utf8)))
    default: return
    }
  }

  private mutating func missingParts(_ node: RemoteNode?, _ path: RemotePath) {
    guard let node, !EntryChecks.isStray(node) else { return }
    let present = Set(node.children.map(\.name))
    switch node.role {
    case .application:
      if !present.contains("ReadMe.txt") {
        write("ReadMe.txt", below: path, Array(ApplicationHierarchy.readMeText.utf8))
      }
      for name in ["ClientDevices", "Documents", "Information"] where !present.contains(name) {
        makeFolder(name, below: path)
      }
    case .document:
      for name in ["SyncChanges", "RecentSyncs"] where !present.contains(name) {
        makeFolder(name, below: path)
      }
      if let name = RemoteName("documentInfo.plist") { takeFromOther(path.appending(name)) }
    case .client:
      if let name = RemoteName("deviceInfo.plist") { takeFromOther(path.appending(name)) }
    default: return
    }
  }

  private mutating func makeFolder(_ name: String, below path: RemotePath) {
    guard let name = RemoteName(name) else { return }
    add(RepairAction(path: path.appending(name), change: .makeFolder, reason: "Devices need this folder."))
  }

  private mutating func write(_ name: String, below path: RemotePath, _ bytes: [UInt8]) {
    guard let name = RemoteName(name) else { return }
    add(write(path.appending(name), bytes))
  }

  /// A copy that a replicator has put beside a file: if it is proven to be that file, and that is gone or damaged, it takes its place.
  private mutating func copy(_ path: RemotePath) {
    guard let folder = path.parent, let parent = nodes[folder], let name = path.name,
      let original = EntryChecks.original(name.description, in: parent)
    else { return }
    let place = folder.appending(original)
    guard verification.whole.contains(path), nodes[place] == nil ? isMissed(place) : isDamaged(place)
    else { return }
    if nodes[place] != nil { putAside(place, "Its content is not what belongs there; that of a copy is.") }
    add(
      RepairAction(
        path: place, change: .write(.copy(of: path)), reason: "A replicator has kept it as “\(name)”."))
  }

  /// Whether a file that is gone is missed: many are removed in the course of time, and an old copy takes nothing back.
  private func isMissed(_ place: RemotePath) -> Bool {
    switch FileRole(path: place.names, kind: .file) {
    case .set, .longValue, .supersession, .documentInformation, .deviceInformation: return true
    // Without it two foundings stay apart.
    case .acceptance: return document(of: place).map { $0.foundings.count > 1 } ?? false
    case .wholeStore(let name):
      // The newest two are kept; an older one was removed for good reason.
      let newer = document(of: place)?.entries.count { node in
        if case .wholeStore(let other) = node.role { name < other } else { false }
      }
      return newer.map { $0 < 2 } ?? false
    case .deviceName(let name):
      return document(of: place)?.entries.contains { node in
        if case .deviceName(let other) = node.role { other.author == name.author } else { false }
      } == false
    case .head(let head):
      return document(of: place)?.newestHeads[head.author].map { $0.sequence < head.sequence } ?? true
    case .founding(let name): return isMissed(name, place)
    case .floor(let floor):
      guard floor.phase == .inForce, let document = document(of: place) else { return false }
      // Each that comes later says more.
      return !document.floors.contains { $0.phase == .inForce && $0.total >= floor.total }
    default: return false
    }
  }

  /// Of an application the record of one founding serves; of a document each founding has devices, unless a note says that it was deleted.
  func isMissed(_ name: FoundingName, _ place: RemotePath) -> Bool {
    guard document(of: place) != nil else {
      return !nodes.contains { path, node in
        if case .founding = node.role { path.parent == place.parent } else { false }
      }
    }
    return !nodes.contains { path, node in
      node.role == .deletion && path.name.flatMap { DeletionName($0) }?.founding == name.integrityKey
    }
  }

  func isDamaged(_ path: RemotePath) -> Bool {
    damagedPlaces.contains("\(path)")
  }

  mutating func mention(_ set: SetName, _ author: AuthorID, _ document: DocumentReader) {
    guard let protection = document.protection, !document.application.isLocked else { return }
    let path = document.hierarchy.file(of: protection.mention(author: author, set: set))
    guard nodes[path]?.role == nil || aside.contains(path) else { return }
    add(
      RepairAction(
        path: path, change: .write(.bytes([])),
        reason: "No head names set \(set.sequence) of \(author); this does, until its author publishes one."))
  }

  // MARK: Actions

  func document(of path: RemotePath) -> DocumentReader? {
    path.names.count > 3 ? documents[RemotePath(Array(path.names.prefix(3)))] : nil
  }

  /// Whether nobody who has the keys at hand has written the name of a request.
  private func isForged(_ path: RemotePath) -> Bool {
    guard case .request(let request)? = nodes[path]?.role else { return false }
    return document(of: path)?.isGenuine(request) == false
  }

  /// Whether requests and mentions can be written, which takes the keys of an encrypted remote.
  private func canAsk(_ path: RemotePath) -> Bool {
    document(of: path).map { $0.protection != nil && !$0.application.isLocked } ?? false
  }

  func isInOther(_ path: RemotePath) -> Bool {
    guard let other, other.has(path) else { return false }
    return document(of: path).map(other.isSame) ?? true
  }

  mutating func takeFromOther(_ path: RemotePath) {
    guard isInOther(path), nodes[path] == nil || aside.contains(path) else { return }
    add(RepairAction(path: path, change: .write(.fromOther), reason: "The other copy of the remote has it."))
  }

  private mutating func replace(_ path: RemotePath, with bytes: [UInt8], _ reason: String) {
    putAside(path, reason)
    add(write(path, bytes))
  }

  private func write(_ path: RemotePath, _ bytes: [UInt8]) -> RepairAction {
    RepairAction(path: path, change: .write(.bytes(bytes)), reason: "The protocol says what it holds.")
  }

  mutating func putAside(_ path: RemotePath, _ reason: String) {
    guard !isBlocked(path), aside.insert(path).inserted else { return }
    plan.actions.append(RepairAction(path: path, change: .putAside, reason: reason))
  }

  func isBlocked(_ path: RemotePath) -> Bool {
    !blocked.isEmpty
      && path.names.indices.contains { blocked.contains("\(RemotePath(Array(path.names[...$0])))") }
  }

  mutating func add(_ action: RepairAction) {
    guard !isBlocked(action.path), written.insert(action.path).inserted else { return }
    plan.actions.append(action)
  }
}

extension RepairAction {
  /// The file that is copied.
  fileprivate var copied: RemotePath? {
    if case .write(.copy(let source)) = change { source } else { nil }
  }

  fileprivate var rank: Int {
    switch change {
    case .putAside: 0
    case .makeFolder: 1
    case .write: 2
    }
  }
}
