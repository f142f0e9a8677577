import SyncProtocol

/// A folder of a document that holds what belongs in another one, and nothing of its own: something has exchanged their names, or has given
/// it the name of the other.
struct MisfiledFolder {
  /// Where it lies.
  let path: RemotePath
  /// The name of the folder in which its files belong.
  let right: RemoteName
  /// What lies under that name.
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
  private var name: String { path.name?.description ?? "" }

  /// What is wrong, in a few words without a stop at their end.
  var description: String {
    switch occupant {
    case .exchanged:
      "“\(name)” holds what belongs in “\(right)”, and “\(right)” what belongs in “\(name)”: their names have been exchanged"
    case .nothing, .other: "“\(name)” holds what belongs in “\(right)”, and nothing of its own"
    }
  }

  var finding: Finding {
    let advice =
      switch occupant {
      case .exchanged: "Exchange the names of “\(name)” and “\(right)”, by way of a third, then verify again."
      case .nothing:
        "Rename it to “\(right)”, where an empty folder of that name goes away before, then verify again."
      case .other:
        "Move what lies under “\(right)” elsewhere, rename this to “\(right)”, and verify again."
      }
    return Finding(
      .folderMoved, path: path.description,
      message: "\(description). Devices find none of it, and nothing in the document was looked at.",
      next: "\(advice) Do not sync or refill before.")
  }
}

extension RemoteNode {
  /// The folders of a document that hold what belongs in another.
  ///
  /// One file in a wrong folder is none: whoever can write to the storage puts one there. So the right one has to lack what it is for, too.
  var misfiledFolders: [MisfiledFolder] {
    guard case .document = role, let path else { return [] }
    let folders = children.filter { $0.role == .folder && $0.failure == nil }
    let strange = folders.filter { !$0.holdsItsOwn }
    guard !strange.isEmpty else { return [] }
    let rights = Dictionary(
      strange.compactMap { folder in
        folder.rightNames(below: path).map { (folder.name, $0) }
      }
    ) { first, _ in first }
    return strange.compactMap { folder in
      guard let place = folder.path, let right = rights[folder.name] else { return nil }
      let other = children.first { $0.name == right.description }
      if let other, !strange.contains(where: { $0.name == other.name }) { return nil }
      let occupant: MisfiledFolder.Occupant =
        rights[right.description]?.description == folder.name
        ? .exchanged : other?.children.isEmpty ?? true ? .nothing : .other
      return MisfiledFolder(path: place, right: right, occupant: occupant)
    }
  }

  private var holdsItsOwn: Bool { children.contains { $0.role != .foreign } }

  /// The folder of a document in which all belongs that lies here and is named as ours; `nil` if there is none, or more than one.
  private func rightNames(below document: RemotePath) -> RemoteName? {
    let parts = (DocumentHierarchy.folderNames + ["LongValues"]).compactMap { RemoteName($0) }.filter {
      part in
      part.description != name
        && children.contains { $0.belongs(in: document.appending(part)) }
    }
    return parts.count == 1 ? parts.first : nil
  }

  private func belongs(in folder: RemotePath) -> Bool {
    guard let name = RemoteName(name) else { return false }
    return switch FileRole(path: folder.appending(name).names, kind: isFolder ? .folder : .file) {
    case .foreign: false
    // Their folder alone would take any name for one.
    case .deletion: DeletionName(name) != nil || AbsenceName(name) != nil
    default: true
    }
  }
}
