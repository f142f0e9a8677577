import ChangeTracking
import Crypto
import SyncProtocol

/// Describes each entry that is none of ours by what it seems to be. What may be the only copy of a file of ours nobody is told to remove.
struct ForeignChecks {
  /// What was seen in foreign folders, by their places.
  let seen: [String: FolderLook.Seen]
  /// The names of files of ours that lie where they belong.
  let known: Set<RemoteName>
  /// The last set of each author of which a head lies where it belongs: earlier heads are missed by nobody.
  private let lastSets: [AuthorID: UInt64]
  /// Authors of whom no head need lie there.
  private let goneAuthors: Set<AuthorID>
  /// Foundings of documents that were deleted.
  private let deletedFoundings: Set<IntegrityKey>
  private let applications: [ApplicationReader]

  init(_ tree: RemoteNode, _ applications: [ApplicationReader], seen: [String: FolderLook.Seen]) {
    self.seen = seen
    self.applications = applications
    known = seen.isEmpty ? [] : tree.ourNames
    lastSets = Dictionary(
      known.compactMap { HeadName($0) }.map { ($0.author, $0.sequence) }, uniquingKeysWith: max)
    goneAuthors = Set(
      known.compactMap { name in
        Mention(name)?.author ?? Supersession(name)?.former ?? RemovalName(name)?.author
          ?? AbsenceName(name)?.author
      })
    deletedFoundings = Set(known.compactMap { DeletionName($0)?.founding })
  }

  func finding(_ entry: RemoteNode, in folder: RemoteNode, at place: String) -> Finding {
    let path = folder.path ?? .root
    if isInPlaceOfFolder(entry, in: path) {
      var isOfDocument = false
      if let name = RemoteName(entry.name),
        case .document = FileRole(path: path.appending(name).names, kind: .folder)
      {
        isOfDocument = true
      }
      return Finding(
        .folderReplaced, path: place,
        message: "Something else lies where a folder belongs that devices need: a file or a link.",
        next: isOfDocument
          ? "Put the folder of the document back from a copy; or move away what lies there, and fill the remote again from a device that holds the document."
          : "Move it away; a device that has joined makes the folder anew.")
    }
    if isInPlaceOfFile(entry, in: path) {
      return Finding(
        .fileReplaced, path: place,
        message: "Something else lies where a file of ours belongs: a folder or a link.",
        next: "Move it away, and restore the file from a copy; devices send again what they have.")
    }
    if let finding = otherCase(entry, in: folder, at: place) { return finding }
    if let seen = seen[place] { return holder(seen, place, isBesideApplications: path == .root) }
    if !entry.isFolder, let finding = file(entry.name, in: path, at: place) { return finding }
    if path == .root, entry.isFolder {
      return Finding(
        .foreignEntry, path: place,
        message: "This is the folder of no application; nothing in it was looked at, and syncs ignore it.",
        next: "Nothing need be done.")
    }
    return Finding(
      .foreignEntry, path: place, message: "This is no file of ours; syncs ignore it.",
      next: "Look at it, and remove it if nobody needs it.")
  }

  // MARK: In the place of ours

  /// Of a file itself it is only known that it is foreign if it is none of ours.
  private func isInPlaceOfFile(_ entry: RemoteNode, in folder: RemotePath) -> Bool {
    guard let name = RemoteName(entry.name) else { return false }
    return FileRole(path: folder.appending(name).names, kind: .file) != .foreign
  }

  /// Folders of documents and devices may bear any name: what file browsers drop beside them has an ending, so a file with one is taken
  /// for none of these. A link has no place of its own, and nobody drops links.
  private func isInPlaceOfFolder(_ entry: RemoteNode, in folder: RemotePath) -> Bool {
    guard let name = RemoteName(entry.name) else { return false }
    switch FileRole(path: folder.appending(name).names, kind: .folder) {
    case .folder, .author: return true
    case .document, .client: return entry.path == nil || !entry.name.contains(".")
    default: return false
    }
  }

  // MARK: In other case

  private func otherCase(_ entry: RemoteNode, in folder: RemoteNode, at place: String) -> Finding? {
    guard entry.path != nil, let path = folder.path,
      let right = OurNames.inRightCase(entry.name, entry.isFolder ? .folder : .file, in: path)
    else { return nil }
    let isThere = folder.children.contains { $0.name == right.description && $0.role != .foreign }
    // One beside the right one that holds nothing of ours hides nothing.
    if isThere, !entry.isFolder || seen[place] == nil { return entry.isFolder ? nil : copy(right, at: place) }
    return Finding(
      .nameInOtherCase, path: place,
      message:
        "It is called “\(entry.name)”, and devices look for “\(right)”, which differs in the case of its letters only. Where storage tells them apart, they do not find it.",
      next: isThere
        ? "Both lie there: move all that “\(right)” lacks into that from here, then verify again. Something has changed the case of names; look whether more was renamed."
        : "Rename it to “\(right)”, then verify again. Do not refill before.")
  }

  // MARK: Files

  private func file(_ name: String, in folder: RemotePath, at place: String) -> Finding? {
    if let original = OurNames.notDownloaded(name, in: folder) {
      return Finding(
        .notDownloaded, path: place,
        message:
          "It stands for “\(original)”, which iCloud keeps and has not downloaded to this device, so that file was not looked at.",
        next:
          "Let the system download it, or name the remote as ubiquity:PATH. Do not remove this: that removes the file from the cloud."
      )
    }
    if let original = OurNames.original(name, in: folder) { return copy(original, at: place) }
    if let belongs = OurNames.placeWrittenWithBackslashes(name) {
      return Finding(
        .conflictCopy, path: place,
        message:
          "Its name is the path of a file of ours, “\(belongs)”, with backslashes, which programs for Windows write between folders; syncs ignore it.",
        next:
          "See whether that file lies where it belongs; if not, this may be the only copy of it: move it there."
      )
    }
    guard let ours = RemoteName(name), OurNames.isOne(ours) else { return nil }
    return Finding(
      .conflictCopy, path: place,
      message: "It has the name of a file of ours that belongs in another folder; syncs ignore it here.",
      next: "See whether that file lies where it belongs; if not, this may be the only copy of it.")
  }

  private func copy(_ original: RemoteName, at place: String) -> Finding {
    Finding(
      .conflictCopy, path: place,
      message:
        "Its name is that of “\(original)” with something changed or added, as copies in conflict and files that are still transferred have it; syncs ignore it.",
      next: "Compare both; if that one is damaged or missing, this may be what belongs there.")
  }

  // MARK: Folders

  private func holder(_ seen: FolderLook.Seen, _ place: String, isBesideApplications: Bool) -> Finding {
    let foundings = seen.names.filter { FoundingName($0) != nil }
    let isKnown = { (name: RemoteName) in known.contains(name) || HeadName(name).map { !isLater($0) } ?? false
    }
    let isOfThisRemote = foundings.contains(where: known.contains)
    // Whoever keeps backups beside a remote has files in them that were removed here long ago, and none that are later than those here.
    let isOther = isBesideApplications && seen.hasApplication && !isOfThisRemote
    let isCopy =
      foundings.isEmpty
      ? seen.names.allSatisfy(isKnown)
      : foundings.allSatisfy(isKnownOrDeleted) && !seen.names.contains { HeadName($0).map(isLater) ?? false }
    guard isOther || isCopy && !seen.names.contains(where: isLacked) else {
      if let path = RemotePath(place, .classic), let right = trueName(ofDocument: path, foundings) {
        let place = path.parent?.appending(right)
        let isThere = applications.contains { $0.documents.contains { $0.hierarchy.root == place } }
        return MisnamedFolder(root: path, right: right, isCopy: isThere, holdsMore: isThere).finding
      }
      return Finding(
        .folderMoved, path: place,
        message:
          "Files of ours lie in it that do not lie where they belong, and no device looks for them here: the folder was moved or renamed.",
        next:
          "\(advice(forMoved: place, holding: seen.names)); a copy of the remote tells both. This may be all that is left of them."
      )
    }
    return Finding(
      .conflictCopy, path: place,
      message: isOther
        ? "It holds sync data, as a backup or another remote does; no device looks for them here."
        : "It holds files of ours that lie where they belong, too: it is a copy, and syncs ignore it.",
      next:
        "Nothing need be done. Before it goes, see that what it is a copy of is healthy: what that lacks may lie here."
    )
  }

  /// Whether it is a set that is missing here; whose, its name does not say.
  private func isLacked(_ name: RemoteName) -> Bool {
    guard !known.contains(name), let set = SetName(name) else { return false }
    return applications.contains { application in
      application.documents.contains { document in
        document.setsByAuthor.keys.contains { document.lacks(set, of: $0) }
      }
    }
  }

  /// Whether a head tells of sets of which none here does.
  private func isLater(_ head: HeadName) -> Bool {
    lastSets[head.author].map { $0 < head.sequence } ?? !goneAuthors.contains(head.author)
  }

  private func isKnownOrDeleted(_ name: RemoteName) -> Bool {
    known.contains(name) || FoundingName(name).map { deletedFoundings.contains($0.integrityKey) } ?? false
  }

  /// What to do with a folder that was moved or renamed: of parts the name tells what they were, or else what lies in them.
  private func advice(forMoved place: String, holding names: Set<RemoteName>) -> String {
    let name = RemotePath(place, .classic)?.name?.description ?? ""
    let held = Set(names.map(Self.part))
    if let former = OurNames.formerParts(name).first {
      return
        "Give it the name that it had, “\(former)” by all appearance, where no folder of that name lies beside it; else move what it holds into that one"
    }
    if names == Self.description, let path = RemotePath(place, .classic), path.names.count == 4,
      let application = path.names.first.map({ ApplicationHierarchy(application: $0) }),
      path.names.starts(with: application.clientDevices.names)
    {
      return
        "It is the folder of a device: move it into “\(application.clientDevices)”, where these belong"
    }
    if held == ["SyncChanges"], isAuthor(name) {
      return
        "It is the folder of an author: move it into the folder “SyncChanges” of the document to which he belongs"
    }
    guard held.count == 1, let part = held.first, let part else {
      return "Move it back where it belongs and give it the name that it had"
    }
    return
      "Move it back into its document and give it the name that it had, “\(part)” by what lies in it, or move that into the folder of this name"
  }

  /// Whether a folder is called as those of authors are.
  private func isAuthor(_ name: String) -> Bool {
    let place = ["x", "Documents", "x", "SyncChanges", name].compactMap { RemoteName($0) }
    if case .author = FileRole(path: place, kind: .folder) { return place.count == 5 }
    return false
  }

  /// What the folder of a device holds.
  private static let description = Set([RemoteName("deviceInfo.plist")].compactMap(\.self))

  /// The folder of a document in which files with such a name lie; `nil` if it is none, or may be several.
  private static func part(of name: RemoteName) -> String? {
    if SetName(name) != nil { return "SyncChanges" }
    if HeadName(name) != nil || Mention(name) != nil || ResendRequest(name) != nil { return "RecentSyncs" }
    if WholeStoreName(name) != nil { return "WholeStore" }
    return LongValueName(name) == nil ? nil : "LongValues"
  }

  /// The name that the founders of a document knew that lies under a name which no identifier can be.
  private func trueName(ofDocument path: RemotePath, _ foundings: Set<RemoteName>) -> RemoteName? {
    guard path.names.count == 3, let name = path.name,
      let application = applications.first(where: { path.parent == $0.hierarchy.documents }),
      !application.isLocked, let names = try? NameAuthenticator(keys: application.keys.ring)
    else { return nil }
    let records = foundings.sorted().prefix(8).compactMap { FoundingName($0) }
    return OurNames.former(name.description, beside: [], limit: 32).first { right in
      records.contains { application.hierarchy.document(right).isGenuine($0, names) }
    }
  }
}
