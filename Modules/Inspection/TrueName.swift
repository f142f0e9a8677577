import Crypto
import SyncProtocol

/// What folders of applications and documents are called that have another name than devices look for: a replicator, a file system or a
/// person has changed it. All names and files in them are bound to the right one, so that nothing in them would seem genuine.
extension RemoteNode {
  fileprivate var isFounding: Bool { if case .founding = role { true } else { false } }
}

extension ApplicationReader {
  /// What its founding records say that it is called, if none is genuine under the name that it has.
  fileprivate func toldNames() async -> [RemoteName] {
    guard !isLocked, !foundingNames.isEmpty, let names = try? NameAuthenticator(keys: keys.ring),
      !foundingNames.contains(where: { hierarchy.isGenuine($0, names) })
    else { return [] }
    let folder = node.children.first { $0.name == "Founding" }
    return await self.names(inRecordsAmong: folder?.children.filter(\.isFounding) ?? []) { $0.application }
  }

  /// Names and records that are compared at most: whoever can write here makes thousands of both.
  private static let (nameLimit, recordLimit) = (32, 64)

  /// The name of a founded application that lies beside this one, which is not, and from which its name differs in case only: one was made of
  /// the other by what does not keep the case of names.
  fileprivate func twin(among applications: [ApplicationReader]) -> RemoteName? {
    guard foundingNames.isEmpty else { return nil }
    let small = node.name.lowercased()
    return applications.first {
      $0.node.name != node.name && $0.node.name.lowercased() == small && $0.isFounded
    }?
    .hierarchy.application
  }

  /// The application beside this one in which its documents were founded, if it has no founding itself: it is a part of that, which was moved.
  fileprivate func whole(
    of documents: [DocumentReader], among applications: [ApplicationReader]
  ) -> ApplicationReader? {
    guard foundingNames.isEmpty else { return nil }
    return applications.first { other in
      guard other.node.name != node.name, !other.isLocked,
        let names = try? NameAuthenticator(keys: other.keys.ring)
      else { return false }
      return documents.contains { document in
        let there = other.hierarchy.document(document.hierarchy.document)
        return document.foundingNames.prefix(Self.nameLimit).contains { there.isGenuine($0, names) }
      }
    }
  }

  /// Whether a founding record lies there that is genuine as far as can be told.
  private var isFounded: Bool {
    if isLocked { return !foundingNames.isEmpty }
    guard let names = try? NameAuthenticator(keys: keys.ring) else { return false }
    return foundingNames.contains { hierarchy.isGenuine($0, names) }
  }

  /// The name that the application's founders knew, if the folder has another.
  ///
  /// - Parameters:
  ///   - others: the names of what lies beside the folder.
  ///   - told: what its records say that it is called.
  func trueName(beside others: [String] = [], told: [RemoteName] = []) -> RemoteName? {
    let records = foundingNames
    guard !isLocked, !records.isEmpty, let names = try? NameAuthenticator(keys: keys.ring),
      !records.contains(where: { hierarchy.isGenuine($0, names) })
    else { return nil }
    let former = OurNames.former(hierarchy.application.description, beside: others, limit: Self.nameLimit)
    return (told + former).first { name in
      let hierarchy = ApplicationHierarchy(application: name)
      return records.prefix(Self.recordLimit).contains { hierarchy.isGenuine($0, names) }
    }
  }
}

extension DocumentReader {
  /// Whether it tells of sets of which the same document in another place does not, or that lies nowhere among them.
  ///
  /// - Parameter deleted: the foundings of documents that were deleted there.
  fileprivate func tellsOfMore(thanOneOf documents: [DocumentReader], deleted: Set<IntegrityKey>) -> Bool {
    let same = documents.filter { !Set($0.foundingNames).isDisjoint(with: foundingNames) }
    if same.isEmpty { return !foundingNames.allSatisfy { deleted.contains($0.integrityKey) } }
    return same.allSatisfy { tellsOfMore(than: $0) }
  }

  /// The same of one document. Of authors whose heads were taken away there, others tell.
  fileprivate func tellsOfMore(than other: DocumentReader) -> Bool {
    let last = Dictionary(other.heads.map { ($0.author, $0.sequence) }, uniquingKeysWith: max)
    let gone = Set(other.mentions.keys).union(other.superseded.keys).union(other.removed)
    let isLater = heads.contains { head in
      last[head.author].map { $0 < head.sequence } ?? !gone.contains(head.author)
    }
    return isLater
      || setsByAuthor.contains { author, files in files.contains { other.lacks($0.name, of: author) } }
  }

  /// What its founding records say that it is called.
  func toldNames() async -> [RemoteName] {
    await application.names(inRecordsAmong: entries.filter(\.isFounding)) { $0.document }
  }

  private static let (nameLimit, recordLimit) = (32, 8)

  /// The name that the document's founders knew, if the folder has another.
  ///
  /// - Parameters:
  ///   - others: the names of what lies beside the folder.
  ///   - told: what its records say that it is called.
  func trueName(beside others: [String], told: [RemoteName]) -> RemoteName? {
    guard !application.isLocked, foundings.isEmpty,
      let names = try? NameAuthenticator(keys: application.keys.ring)
    else { return nil }
    let records = foundingNames.prefix(Self.recordLimit)
    guard !records.isEmpty else { return nil }
    let former = OurNames.former(hierarchy.document.description, beside: others, limit: Self.nameLimit)
    return (told + former).first {
      let other = hierarchy.application.document($0)
      return records.contains { other.isGenuine($0, names) }
    }
  }

  /// Its founding records that lie there, genuine or not.
  var foundingNames: [FoundingName] {
    entries.compactMap { if case .founding(let name) = $0.roleOfName { name } else { nil } }
  }
}

extension ApplicationReader {
  /// What founding records say that what they found is called. Their text can be read by everybody; only who has the key believes it.
  ///
  /// - Parameter nodes: what lies where the records do.
  func names(
    inRecordsAmong nodes: [RemoteNode], _ name: (FoundingRecord) -> String
  ) async -> [RemoteName] {
    var names: [RemoteName] = []
    for node in nodes.prefix(Self.toldLimit) {
      guard case .founding = node.role, let path = node.path,
        let bytes = try? await bytes(at: path, limit: FoundingRecord.sizeLimit),
        let record = try? FoundingRecord(bytes, keys: keys.ring), let told = RemoteName(name(record))
      else { continue }
      names.append(told)
    }
    return names
  }

  /// Records that are read at most to learn a name.
  private static let toldLimit = 8
}

/// A folder of an application or document under another name than devices look for.
struct MisnamedFolder {
  let root: RemotePath
  let right: RemoteName
  /// Whether the same was founded under the right name, and lies there: then this is a copy.
  let isCopy: Bool
  /// Whether the copy tells of sets of which that under the right name does not.
  var holdsMore = false
  /// The folders in it, if it holds a part alone of what lies under the right name.
  var parts: Set<String> = []
  /// Whether no file of ours lies in it.
  var isHollow = false
  /// What else lies under the right name, if something does.
  var occupant: Occupant?

  /// What lies where devices look for a folder, and is not what was founded there.
  enum Occupant {
    /// What was founded under the name that the folder has: the two have been exchanged.
    case exchanged
    case other
  }

  /// Where devices look for it.
  var rightPlace: RemotePath { root.parent?.appending(right) ?? root }
  private var name: String { root.name?.description ?? "" }
  private var isInOtherCase: Bool { name.lowercased() == right.description.lowercased() }

  var finding: Finding {
    if isHollow {
      return Finding(
        .nameInOtherCase, path: root.description,
        message:
          "The folder is called “\(name)”, and devices look for “\(right)”, which differs in the case of its letters only and lies beside it. No file of ours lies in this one: it is a duplicate that holds nothing.",
        next: "Remove it, and find out what makes such folders. Do not rename anything in it.")
    }
    if isInOtherCase {
      return Finding(
        .nameInOtherCase, path: root.description,
        message:
          "The folder is called “\(name)”, and devices look for “\(right)”, which differs in the case of its letters only. Where storage tells them apart, they do not find it. Nothing in it was looked at.",
        next: isCopy
          ? "Both lie there. Compare them; keep all that either of them alone holds under “\(right)”, then verify again."
          : "Rename it to “\(right)”, then verify again. Do not refill: that makes a second folder.")
    }
    if !parts.isEmpty {
      return Finding(
        .folderMoved, path: root.description,
        message:
          "It holds documents that were founded in “\(right)”, which lies beside it: somebody has moved a part of that, and devices do not look for it here. Nothing in it was looked at.",
        next:
          "Move what it holds into the folders of the same names in “\(right)”, then verify again. Do not refill before. This may be all that is left of it."
      )
    }
    if isCopy, holdsMore {
      return Finding(
        .folderMoved, path: root.description,
        message:
          "It holds what was founded as “\(right)”, which lies beside it, and tells of more than that: one of the two is an older state, and devices never look for “\(name)”. Nothing in it was looked at.",
        next:
          "Move into “\(right)” all that it lacks and this one has, file by file, then verify again; do not overwrite anything. This may be all that is left of it."
      )
    }
    if isCopy {
      return Finding(
        .conflictCopy, path: root.description,
        message:
          "It holds what was founded as “\(right)”, which lies beside it: it is a copy, and devices do not look for it. Nothing in it was looked at.",
        next:
          "Nothing need be done. Before it goes, see that “\(right)” is healthy: what that lacks may lie here."
      )
    }
    switch occupant {
    case .exchanged:
      return Finding(
        .folderMoved, path: root.description,
        message:
          "It holds what was founded as “\(right)”, and “\(right)” holds what was founded as “\(name)”: their names have been exchanged, and devices find neither. Nothing in it was looked at.",
        next:
          "Exchange the names of “\(name)” and “\(right)”, by way of a third, then verify again. Do not refill before."
      )
    case .other:
      return Finding(
        .folderMoved, path: root.description,
        message:
          "It holds what was founded as “\(right)”, but something else lies under that name: devices do not find it. Nothing in it was looked at.",
        next:
          "Move what lies under “\(right)” elsewhere, then rename this to “\(right)” and verify again. Do not refill before."
      )
    case nil: break
    }
    return Finding(
      .folderMoved, path: root.description,
      message:
        "It holds what was founded as “\(right)”, and devices never look for “\(name)”: conflict copies, downloads and backups get such names. Nothing in it was looked at.",
      next: "Rename it to “\(right)”, then verify again. Do not refill before.")
  }
}

extension RemoteInspector {
  /// The folders of an application and its documents that have other names than devices look for.
  ///
  /// - Parameter documents: those of each application, by its folder.
  static func misnamed(
    _ applications: [ApplicationReader], _ documents: [RemotePath: [DocumentReader]], in tree: RemoteNode,
    seen: [String: FolderLook.Seen]
  ) async -> [MisnamedFolder] {
    let names = tree.children.map(\.name)
    var misnamed: [MisnamedFolder] = []
    for application in applications {
      let own = documents[application.hierarchy.root] ?? []
      let told = await application.toldNames()
      if let right = application.trueName(beside: names, told: told) {
        let records = Set(application.foundingNames)
        let other = applications.first {
          $0.hierarchy.application == right && !records.isDisjoint(with: $0.foundingNames)
        }
        let theirs = other.flatMap { documents[$0.hierarchy.root] } ?? []
        let deleted = other?.deletedFoundings ?? []
        misnamed.append(
          MisnamedFolder(
            root: application.hierarchy.root, right: right, isCopy: other != nil,
            holdsMore: other != nil && own.contains { $0.tellsOfMore(thanOneOf: theirs, deleted: deleted) }))
        continue
      }
      if let whole = application.whole(of: own, among: applications) {
        let theirs = documents[whole.hierarchy.root] ?? []
        let isCopy = own.allSatisfy { document in
          theirs.contains { !Set($0.foundingNames).isDisjoint(with: document.foundingNames) }
        }
        misnamed.append(
          MisnamedFolder(
            root: application.hierarchy.root, right: whole.hierarchy.application, isCopy: isCopy,
            holdsMore: own.contains { $0.tellsOfMore(thanOneOf: theirs, deleted: whole.deletedFoundings) },
            parts: isCopy ? [] : Set(application.node.children.map(\.name))))
        continue
      }
      if let right = application.twin(among: applications) {
        let start = "\(application.hierarchy.root)/"
        let isHollow =
          application.node.all.allSatisfy { $0.isFolder && $0.failure == nil || $0.role == .foreign }
          && !seen.keys.contains { $0.hasPrefix(start) }
        misnamed.append(
          MisnamedFolder(
            root: application.hierarchy.root, right: right, isCopy: true, isHollow: isHollow))
        continue
      }
      let others = own.filter { $0.foundings.isEmpty && !$0.foundingNames.isEmpty }
      let beside = own.map(\.hierarchy.document.description)
      var found: [MisnamedFolder] = []
      for document in others {
        let told = await document.toldNames()
        guard let right = document.trueName(beside: beside, told: told) else { continue }
        let records = Set(document.foundingNames)
        let other = own.first {
          $0.hierarchy.document == right && !records.isDisjoint(with: $0.foundingNames)
        }
        found.append(
          MisnamedFolder(
            root: document.hierarchy.root, right: right, isCopy: other != nil,
            holdsMore: other.map { document.tellsOfMore(than: $0) } ?? false))
      }
      for index in found.indices where beside.contains(found[index].right.description) {
        let isExchanged = found.contains {
          $0.root == found[index].rightPlace && $0.rightPlace == found[index].root
        }
        found[index].occupant = isExchanged ? .exchanged : .other
      }
      misnamed += found
    }
    return misnamed
  }
}
