import SyncProtocol

/// Finds what is not ours, what cannot be listed, and what the hierarchy lacks.
struct EntryChecks {
  let remote: String

  func findings(
    in tree: RemoteNode, _ applications: [ApplicationReader], seen: [String: FolderLook.Seen]
  ) -> [Finding] {
    foreign(in: tree, below: "", ForeignChecks(tree, applications, seen: seen))
      + tree.allButSets.flatMap { unreadable($0) + incomplete($0) + withoutDocument($0) }
  }

  private func foreign(in node: RemoteNode, below path: String, _ checks: ForeignChecks) -> [Finding] {
    node.children.flatMap { child -> [Finding] in
      var place: String { path.isEmpty ? child.name : "\(path)/\(child.name)" }
      switch child.role {
      case .foreign: return [checks.finding(child, in: node, at: place)]
      case .serverTest:
        return [
          Finding(
            .serverTestLeft, path: place,
            message: "A test of this server was cut off and left this behind; syncs ignore it.",
            next: "Remove it, unless a device is joining right now.")
        ]
      default: return child.children.isEmpty ? [] : foreign(in: child, below: place, checks)
      }
    }
  }

  /// The file of ours whose name a foreign one bears with something added or in other case.
  static func original(_ name: String, in folder: RemoteNode) -> RemoteName? {
    folder.path.flatMap { OurNames.original(name, in: $0) }
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

  /// What devices make when they register and never look for again: a repair does.
  private static let madeByRepair: Set<String> = [
    readMe, "ClientDevices", "Documents", "Information", "SyncChanges", "RecentSyncs",
  ]

  private func advice(onLacking missing: [String]) -> String {
    if missing == [Self.readMe] { return readMeAdvice }
    let repaired = missing.filter(Self.madeByRepair.contains)
    let repair =
      "`ticds-inspect repair \(remote) --apply` makes \(repaired.joined(separator: ", ")) again. Devices make a folder only to put something into it."
    guard repaired.count < missing.count else { return repair }
    let sync = "Sync a device that has joined; within a day it puts back what it knows of the rest."
    return repaired.isEmpty
      ? "Sync a device that has joined; within a day it puts back what is missing."
      : "\(repair) \(sync)"
  }

  /// What every application and every document has, and this one lacks.
  static func missingParts(of node: RemoteNode) -> [String] {
    let expected =
      switch node.role {
      case .application: [readMe, "Founding", "ClientDevices", "Documents", "Information"]
      case .document: ["documentInfo.plist", "IntegrityKey", "SyncChanges", "RecentSyncs"]
      default: [] as [String]
      }
    let names = Set(node.children.map(\.name) + node.namesInRightCase.map(\.description))
    return expected.filter { !names.contains($0) }
  }

  private func incomplete(_ node: RemoteNode) -> [Finding] {
    if case .client = node.role { return undescribed(node) }
    let device = node.role == .application ? "the application" : "the document"
    let missing = Self.missingParts(of: node)
    guard node.failure == nil, !missing.isEmpty else { return [] }
    let reason =
      missing == [Self.readMe]
      ? "."
      : ": the registration of \(device) was cut off, or something has removed it or keeps no empty folders."
    return [
      Finding(
        .partMissing, path: node.path?.description ?? node.name,
        message: "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing\(reason)",
        next: Self.isStray(node) ? Self.stray : isEmptied(node) ? Self.refill : advice(onLacking: missing))
    ]
  }

  /// Whether what lies in the place of a document holds something, and nothing that a document has: it has strayed there.
  static func isStray(_ node: RemoteNode) -> Bool {
    guard case .document = node.role, node.namesInRightCase.isEmpty else { return false }
    return !node.children.isEmpty && node.children.allSatisfy { $0.role == .foreign }
  }

  private static let stray =
    "Nothing in it belongs to a document. If it has strayed here, move it to where it was, or away. If a document of this name is lost, a device that holds it fills it again, or `ticds-inspect repair` with --from COPY."

  /// Whether nothing is left of a document but its name.
  private func isEmptied(_ node: RemoteNode) -> Bool {
    guard case .document = node.role else { return false }
    return node.all.allSatisfy { $0.isFolder && $0.failure == nil }
  }

  private static let refill =
    "Refill the document from a device that has joined, or repair it from a copy (--from COPY), before anybody joins: who does founds another one under its name."

  /// Where devices have been and no document is: the names of documents stand nowhere else, so nothing but this tells that all were lost.
  private func withoutDocument(_ application: RemoteNode) -> [Finding] {
    guard application.role == .application, let path = application.path,
      let documents = application.children.first(where: { $0.name == "Documents" }), documents.failure == nil,
      !documents.children.contains(where: { if case .document = $0.role { true } else { false } })
    else { return [] }
    let devices = application.all.count { if case .client = $0.role { true } else { false } }
    guard devices > 0 else { return [] }
    let known = devices == 1 ? "A device is" : "\(devices) devices are"
    let deleted = application.all.count { $0.role == .deletion }
    if deleted > 0 {
      return [
        Finding(
          .onlyDeletions, path: path.description + "/Documents",
          message:
            "\(known) registered, and of documents nothing is there but \(deleted == 1 ? "the note that one was deleted" : "notes that \(deleted) were deleted").",
          next:
            "Nothing need be done if there was no other. If there was, `ticds-inspect repair \(remote) --from COPY` puts it back from a copy of the remote, or a device that holds it fills the remote again."
        )
      ]
    }
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
    // Of a folder in it is said what it holds: perhaps one of devices lies in itself.
    guard client.failure == nil,
      !client.children.contains(where: { $0.name == "deviceInfo.plist" || $0.isFolder })
    else { return [] }
    return [
      Finding(
        .deviceUndescribed, path: client.path?.description ?? client.name,
        message: "deviceInfo.plist is missing: the registration of the device was cut off.",
        next: "Nothing depends on it; remove the folder if nobody uses the device.")
    ]
  }
}

extension RemoteNode {
  /// The names of ours that entries in it bear in other case.
  var namesInRightCase: [RemoteName] {
    guard let path else { return [] }
    return children.compactMap { child in
      guard child.role == .foreign, child.path != nil else { return nil }
      return OurNames.inRightCase(child.name, child.isFolder ? .folder : .file, in: path)
    }
  }
}
