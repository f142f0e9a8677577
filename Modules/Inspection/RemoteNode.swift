import SyncProtocol

/// One file or folder of a remote, with what lies below it.
public struct RemoteNode: Sendable {
  /// Its name, as the storage spells it; one that is foreign may hold anything.
  public let name: String
  /// Its place, when all its names keep to the grammar; `nil` for a foreign one.
  public let path: RemotePath?
  /// What it is for.
  public let role: FileRole
  /// Size of a file in bytes, where the storage says so.
  public let size: Int64?
  /// Whether it is a folder.
  public let isFolder: Bool
  /// What lies in it, by name. Foreign folders are not entered.
  public var children: [RemoteNode] = []
  /// What lies in a folder that is no application's, as far as it was listed: it only tells where in a hierarchy somebody stands.
  var others: [RemoteNode] = []
  /// When it was written last, since 1970, where the storage says so.
  var written: Duration?
  /// Why a folder could not be listed.
  public var failure: BackendError?
  /// The place of the file whose name a folder or a link bears that matters by its name: members have chosen that name if its code is right, and
  /// something else has come in the place of the file.
  var takenPlace: RemotePath?

  /// What the name says, whatever bears it.
  var roleOfName: FileRole { takenPlace.map { FileRole(path: $0.names, kind: .file) } ?? role }

  /// The node and everything below it, parents first.
  public var all: [RemoteNode] {
    var all: [RemoteNode] = []
    append(to: &all)
    return all
  }

  /// The same without sets, which are nearly all of a large remote and looked at in one place only.
  var allButSets: [RemoteNode] {
    var all: [RemoteNode] = []
    append(to: &all) { if case .set = $0.role { false } else { true } }
    return all
  }

  private func append(to all: inout [RemoteNode], where isWanted: (RemoteNode) -> Bool = { _ in true }) {
    guard isWanted(self) else { return }
    all.append(self)
    // By index: to copy each of a hundred thousand sets only to leave it out takes time.
    for index in children.indices { children[index].append(to: &all, where: isWanted) }
  }
}

/// Lists a remote from the root down.
struct RemoteWalk {
  let backend: any SyncBackend
  /// The hierarchy is six levels deep; nothing below can be ours.
  static let depth = 6

  /// The root with everything below it that lies in folders which are to be entered.
  ///
  /// - Throws: ``BackendError`` if the root itself cannot be listed. Of other folders it is noted.
  func root(
    entering: @Sendable (RemoteNode) -> Bool = { _ in true }
  ) async throws(BackendError) -> RemoteNode {
    var root = RemoteNode(name: "", path: .root, role: .folder, size: nil, isFolder: true)
    root.children = try await entries(of: .root)
    try await enter(root.children.filter { $0.isFolder && entering($0) }, of: &root, entering: entering)
    try await leaveOutStrangers(&root, entering: entering)
    return root
  }

  /// Adds what lies below folders that were not entered.
  ///
  /// - Throws: ``BackendError`` if the task was cancelled.
  func complete(
    _ root: inout RemoteNode, entering: @Sendable (RemoteNode) -> Bool
  ) async throws(BackendError) {
    try await enter(root.all.filter { $0.isFolder && entering($0) }, of: &root) { _ in true }
  }

  /// Lists some folders and those below them. All of a level, a few at once: each takes a request, and thousands of
  /// entries take a core.
  func enter(
    _ first: [RemoteNode], of root: inout RemoteNode, entering: @Sendable (RemoteNode) -> Bool
  ) async throws(BackendError) {
    var folders: [RemotePath: RemoteNode] = [:]
    var level = first
    while !level.isEmpty {
      let nodes = try await listed(level)
      level = nodes.flatMap { $0.children.filter { $0.isFolder && entering($0) } }
      for node in nodes { if let path = node.path { folders[path] = node } }
    }
    Self.fill(&root, from: &folders)
  }

  /// Folders that are listed at once.
  private static let width = 4

  private func listed(_ level: [RemoteNode]) async throws(BackendError) -> [RemoteNode] {
    do {
      return try await concurrently(level, limit: Self.width) { node in
        var node = node
        try await list(&node)
        return node
      }
    } catch {
      throw error as? BackendError ?? BackendError(.cancelled, path: .root)
    }
  }

  private static func fill(_ node: inout RemoteNode, from folders: inout [RemotePath: RemoteNode]) {
    for index in node.children.indices {
      guard node.children[index].isFolder, let path = node.children[index].path else { continue }
      if let found = folders.removeValue(forKey: path) { node.children[index] = found }
      fill(&node.children[index], from: &folders)
    }
  }

  /// Lists a folder if it may hold something of ours, and notes why it cannot be.
  ///
  /// - Throws: ``BackendError`` if the task was cancelled, or this device fails.
  func list(_ node: inout RemoteNode) async throws(BackendError) {
    guard node.isFolder, let path = node.path, ![.foreign, .serverTest].contains(node.role),
      path.names.count < Self.depth
    else { return }
    do {
      node.children = try await entries(of: path)
    } catch  where error.code != .cancelled && error.code != .localFile {
      node.failure = error
    }
  }

  /// What lies in a folder, by name; nothing of what lies below.
  func entries(of folder: RemotePath) async throws(BackendError) -> [RemoteNode] {
    let listing = try await backend.list(folder)
    let foreign = listing.foreign.map { name in
      RemoteNode(
        name: name, path: nil, role: .foreign, size: nil, isFolder: false,
        takenPlace: RemoteName(name).flatMap { Self.takenPlace(folder.appending($0)) })
    }
    let ours = listing.entries.sorted { $0.name.description < $1.name.description }.map { entry in
      let path = folder.appending(entry.name)
      return RemoteNode(
        name: entry.name.description, path: path, role: FileRole(path: path.names, kind: entry.kind),
        size: entry.size, isFolder: entry.kind == .folder, written: entry.modified,
        takenPlace: entry.kind == .folder ? Self.takenPlace(path) : nil)
    }
    // Thousands of nodes take longer to move than their names to compare, so they are sorted as entries.
    return foreign.isEmpty ? ours : (foreign + ours).sorted { $0.name < $1.name }
  }

  /// The place of something that is no file, if that is one of a file whose name matters.
  private static func takenPlace(_ path: RemotePath) -> RemotePath? {
    switch FileRole(path: path.names, kind: .file) {
    case .founding, .acceptance, .withdrawal, .wrappedKey: path
    default: nil
    }
  }
}
