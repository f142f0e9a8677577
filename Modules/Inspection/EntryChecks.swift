import SyncProtocol

/// Finds what is not ours, what cannot be listed, and what the hierarchy lacks.
struct EntryChecks {
  let remote: String

  func findings(in tree: RemoteNode) -> [Finding] {
    foreign(in: tree, below: "")
      + tree.allButSets.flatMap { unreadable($0) + incomplete($0) + withoutDocument($0) }
  }

  private func foreign(in node: RemoteNode, below path: String) -> [Finding] {
    node.children.flatMap { child -> [Finding] in
      let place = path.isEmpty ? child.name : "\(path)/\(child.name)"
      switch child.role {
      case .foreign where isInPlaceOfFolder(child, in: node):
        return [
          Finding(
            .folderReplaced, path: place,
            message: "Something else lies where a folder belongs that devices need: a file or a link.",
            next: "Move it away; a device that has joined makes the folder anew.")
        ]
      case .foreign where isInPlaceOfFile(child, in: node):
        return [
          Finding(
            .fileReplaced, path: place,
            message: "Something else lies where a file of ours belongs: a folder or a link.",
            next: "Move it away, and restore the file from a copy; devices send again what they have.")
        ]
      case .foreign:
        if let original = Self.original(child.name, in: node) {
          return [
            Finding(
              .conflictCopy, path: place,
              message: "Its name is that of “\(original)” with something added; syncs ignore it.",
              next: "Compare both; if that one is damaged or missing, this may be what belongs there.")
          ]
        }
        return [
          Finding(
            .foreignEntry, path: place, message: "This is no file of ours; syncs ignore it.",
            next: "Look at it, and remove it if nobody needs it.")
        ]
      case .serverTest:
        return [
          Finding(
            .serverTestLeft, path: place,
            message: "A test of this server was cut off and left this behind; syncs ignore it.",
            next: "Remove it, unless a device is joining right now.")
        ]
      default: return foreign(in: child, below: place)
      }
    }
  }

  /// The file of ours whose name a foreign one bears with something added, as folder replicators do with copies in conflict.
  ///
  /// They put their words between the name and what follows its last dot, so what stands before each sign that may begin them is
  /// tried.
  static func original(_ name: String, in folder: RemoteNode) -> RemoteName? {
    guard let path = folder.path, name.utf8.count <= 1_024, let dot = name.lastIndex(of: ".") else {
      return nil
    }
    for index in name[..<dot].indices where " .-_".contains(name[index]) {
      guard let original = RemoteName("\(name[..<index])\(name[dot...])"),
        FileRole(path: path.appending(original).names, kind: .file) != .foreign
      else { continue }
      return original
    }
    return nil
  }

  /// Of a file itself it is only known that it is foreign if it is none of ours.
  private func isInPlaceOfFile(_ entry: RemoteNode, in parent: RemoteNode) -> Bool {
    guard let name = RemoteName(entry.name), let folder = parent.path else { return false }
    return FileRole(path: folder.appending(name).names, kind: .file) != .foreign
  }

  /// Folders of documents and devices may bear any name: what file browsers drop beside them has an ending, so a file with one is taken
  /// for none of these. A link has no place of its own, and nobody drops links.
  private func isInPlaceOfFolder(_ entry: RemoteNode, in parent: RemoteNode) -> Bool {
    guard let name = RemoteName(entry.name), let folder = parent.path else { return false }
    switch FileRole(path: folder.appending(name).names, kind: .folder) {
    case .folder, .author: return true
    case .document, .client: return entry.path == nil || !entry.name.contains(".")
    default: return false
    }
  }

  private func unreadable(_ node: RemoteNode) -> [Finding] {
    guard let failure = node.failure else { return [] }
    return [
      Finding(
        .folderUnreadable, path: node.path?.description ?? node.name, message: failure.description,
        next: failure.recovery)
    ]
  }

  private static let readMe = "ReadMe.txt"
  /// Devices write it when they found the application, and never look for it again.
  private var readMeAdvice: String {
    "Nothing depends on it; `ticds-inspect repair \(remote) --apply` writes “\(Self.readMe)” again, for people who look into the folder."
  }

  private func registrationAdvice(_ missing: [String]) -> String {
    let advice = "Sync any device that uses it; registering again completes what is missing."
    return missing.contains(Self.readMe) ? "\(advice) \(readMeAdvice)" : advice
  }

  /// What every application and every document has, and this one lacks.
  static func missingParts(of node: RemoteNode) -> [String] {
    let expected =
      switch node.role {
      case .application: [readMe, "Founding", "ClientDevices", "Documents", "Information"]
      case .document: ["documentInfo.plist", "IntegrityKey", "SyncChanges", "RecentSyncs"]
      default: [] as [String]
      }
    let names = Set(node.children.map(\.name))
    return expected.filter { !names.contains($0) }
  }

  private func incomplete(_ node: RemoteNode) -> [Finding] {
    if case .client = node.role { return undescribed(node) }
    let device = node.role == .application ? "the application" : "the document"
    let missing = Self.missingParts(of: node)
    guard node.failure == nil, !missing.isEmpty else { return [] }
    let reason = missing == [Self.readMe] ? "." : ": the registration of \(device) was cut off."
    return [
      Finding(
        .partMissing, path: node.path?.description ?? node.name,
        message: "\(missing.joined(separator: ", ")) is missing\(reason)",
        next: missing == [Self.readMe] ? readMeAdvice : registrationAdvice(missing))
    ]
  }

  /// Where devices have been and no document is: the names of documents stand nowhere else, so nothing but this tells that all were lost.
  private func withoutDocument(_ application: RemoteNode) -> [Finding] {
    guard application.role == .application, let path = application.path,
      let documents = application.children.first(where: { $0.name == "Documents" }), documents.failure == nil,
      !documents.children.contains(where: { if case .document = $0.role { true } else { false } }),
      // Deleted ones are no loss.
      !application.all.contains(where: { $0.role == .deletion })
    else { return [] }
    let devices = application.all.count { if case .client = $0.role { true } else { false } }
    guard devices > 0 else { return [] }
    let known = devices == 1 ? "A device is" : "\(devices) devices are"
    return [
      Finding(
        .noDocument, path: path.description + "/Documents",
        message: "\(known) registered, and there is no document: none was made yet, or all were lost.",
        next:
          "If there was one, `ticds-inspect repair \(remote) --from COPY` puts it back from a copy of the remote, or a device that holds it fills the remote again."
      )
    ]
  }

  private func undescribed(_ client: RemoteNode) -> [Finding] {
    guard client.failure == nil, !client.children.contains(where: { $0.name == "deviceInfo.plist" }) else {
      return []
    }
    return [
      Finding(
        .deviceUndescribed, path: client.path?.description ?? client.name,
        message: "deviceInfo.plist is missing: the registration of the device was cut off.",
        next: "Nothing depends on it; remove the folder if nobody uses the device.")
    ]
  }
}
