import ChangeTracking
import SyncProtocol

/// A folder of a document that holds what belongs in another one, of the same document or of its neighbour, and nothing of its own: something
/// has exchanged their names, or has given it the name of the other.
struct MisfiledFolder {
  /// Where it lies.
  let path: RemotePath
  /// Where devices look for what it holds.
  let right: RemotePath
  /// What lies there.
  let occupant: Occupant

  enum Occupant {
    /// What belongs in this folder.
    case exchanged
    /// Nothing, or an empty folder.
    case nothing
    /// Files of neither, or of a third folder.
    case other
  }

  /// The folder of the document.
  var document: RemotePath { path.parent ?? .root }

  /// The folders of documents in which nothing is what it seems.
  var documents: [RemotePath] { [document, right.parent ?? .root] }

  /// Of two folders of one document the names tell enough.
  private var names: (String, String) {
    guard right.parent == path.parent, let name = path.name, let other = right.name else {
      return (path.description, right.description)
    }
    return (name.description, other.description)
  }

  /// What is wrong, in a few words without a stop at their end.
  var description: String {
    let (name, other) = names
    return switch occupant {
    case .exchanged:
      "“\(name)” holds what belongs in “\(other)”, and “\(other)” what belongs in “\(name)”: the two have been exchanged"
    case .nothing, .other: "“\(name)” holds what belongs in “\(other)”, and nothing of its own"
    }
  }

  var finding: Finding {
    let (name, other) = names
    let advice =
      switch occupant {
      case .exchanged: "Exchange “\(name)” and “\(other)”, by way of a third name, then verify again."
      case .nothing:
        "Move it to “\(other)”, where an empty folder of that name goes away before, then verify again."
      case .other: "Move what lies under “\(other)” elsewhere, this to “\(other)”, and verify again."
      }
    return Finding(
      .folderMoved, path: path.description,
      message: "\(description). Devices find none of it, and nothing in the document was looked at.",
      next: "\(advice) Do not sync, repair or refill before.")
  }
}

/// Finds the folders of documents that hold what belongs in others.
///
/// One file in a wrong folder is none: whoever can write to the storage puts one there. So the folder holds nothing of its own.
struct MisfiledFolders {
  private let documents: [DocumentReader]
  /// The folders of these documents that hold nothing of their own.
  private var strange: [RemotePath: RemoteNode] = [:]

  /// - Parameter documents: those of one application.
  init(_ documents: [DocumentReader]) {
    self.documents = documents
    for document in documents {
      for folder in document.node.children where folder.role == .folder && folder.failure == nil {
        guard let path = folder.path else { continue }
        let isLostRecord = path == document.hierarchy.integrityKey && document.isRecordElsewhere(documents)
        let holdsItsOwn = document.holdsItsOwn(folder) && !isLostRecord
        if !holdsItsOwn { strange[path] = folder }
      }
    }
  }

  func find() -> [MisfiledFolder] {
    guard strange.contains(where: { !$0.value.children.isEmpty }) else { return [] }
    let rights = strange.reduce(into: [RemotePath: RemotePath]()) { rights, entry in
      rights[entry.key] = right(of: entry.value, at: entry.key)
    }
    let present = Set(documents.flatMap(\.node.children).compactMap(\.path))
    return rights.sorted { $0.key < $1.key }.compactMap { path, right in
      if present.contains(right), strange[right] == nil { return nil }
      let isTaken = strange[right]?.children.isEmpty == false
      return MisfiledFolder(
        path: path, right: right,
        occupant: rights[right] == path ? .exchanged : isTaken ? .other : .nothing)
    }
  }

  /// Where all belongs that lies in a folder and is ours; `nil` if there is no such place, or more than one.
  private func right(of folder: RemoteNode, at path: RemotePath) -> RemotePath? {
    guard let root = path.parent, let name = path.name else { return nil }
    let parts = DocumentHierarchy.partNames.filter { part in
      part != name && folder.children.contains { $0.belongs(in: root.appending(part)) }
    }
    if let part = parts.first { return parts.count == 1 ? root.appending(part) : nil }
    let owners = documents.filter { document in
      document.hierarchy.root != root
        && (document.isFounded(by: folder) || document.isWrittenByMembers(folder) == true)
    }
    guard let owner = owners.first, owners.count == 1 else { return nil }
    return owner.hierarchy.root.appending(name)
  }
}

extension DocumentHierarchy {
  /// The folders in which files of a document lie.
  static let partNames = (folderNames + ["LongValues"]).compactMap { RemoteName($0) }
}

extension DocumentReader {
  /// Whether something lies in a folder that belongs there, as far as names tell.
  fileprivate func holdsItsOwn(_ folder: RemoteNode) -> Bool {
    guard folder.children.contains(where: { $0.role != .foreign && !$0.isMistakenForDeletion }) else {
      return false
    }
    // What members of another document have written bears the same kinds of names.
    return application.isLocked || isWrittenByMembers(folder) != false
  }

  /// Whether members of the document have written what lies in a folder; `nil` if nothing tells.
  fileprivate func isWrittenByMembers(_ folder: RemoteNode) -> Bool? {
    let names = folder.children.compactMap(\.codedName)
    if !names.isEmpty { return protection.map { protection in names.contains { protection.verifies($0) } } }
    let authors = folder.children.compactMap(\.author)
    guard !authors.isEmpty, !newestHeads.isEmpty else { return nil }
    return authors.contains { newestHeads[$0] != nil || mentions[$0] != nil || superseded[$0] != nil }
  }

  /// Whether a founding record of this document lies in a folder.
  fileprivate func isFounded(by folder: RemoteNode) -> Bool {
    guard !application.isLocked, let names = try? NameAuthenticator(keys: application.keys.ring) else {
      return false
    }
    return folder.children.contains { node in
      if case .founding(let name) = node.role { hierarchy.isGenuine(name, names) } else { false }
    }
  }

  /// Whether the record with which the document was founded lies with another one, as its heads prove: then all but the record lies here.
  fileprivate func isRecordElsewhere(_ documents: [DocumentReader]) -> Bool {
    guard !application.isLocked, foundings.isEmpty, !foundingNames.isEmpty, !heads.isEmpty,
      let names = try? NameAuthenticator(keys: application.keys.ring)
    else { return false }
    let records = documents.lazy.filter { $0.hierarchy.root != hierarchy.root }.flatMap(\.foundingNames)
      .filter { hierarchy.isGenuine($0, names) }.prefix(Self.recordLimit)
    return records.contains { record in
      let protection = try? DocumentProtection(
        keys: application.keys.ring, hierarchy: hierarchy, own: record.integrityKey)
      return heads.suffix(Self.headLimit).contains { protection?.verifies($0) == true }
    }
  }

  /// Records and heads that are compared at most: whoever can write here makes thousands of both.
  private static let (recordLimit, headLimit) = (8, 64)
}

extension RemoteNode {
  /// The name of a file that a member of a document chooses and proves.
  var codedName: (any CodedName)? {
    switch role {
    case .head(let name): name
    case .mention(let name): name
    case .supersession(let name): name
    case .floor(let name): name
    case .request(let name): name
    case .removal(let name): name
    case .deviceName(let name): name
    case .wholeStore(let name): name
    default: nil
    }
  }

  /// In a folder of notes of deletions any name counts as one.
  fileprivate var isMistakenForDeletion: Bool {
    guard role == .deletion, let name = RemoteName(name) else { return false }
    return DeletionName(name) == nil && AbsenceName(name) == nil
  }

  fileprivate var author: AuthorID? {
    if case .author(let author) = role { author } else { nil }
  }

  fileprivate func belongs(in folder: RemotePath) -> Bool {
    guard let name = RemoteName(name) else { return false }
    return switch FileRole(path: folder.appending(name).names, kind: isFolder ? .folder : .file) {
    case .foreign: false
    // Their folder alone would take any name for one.
    case .deletion: DeletionName(name) != nil || AbsenceName(name) != nil
    default: true
    }
  }
}
