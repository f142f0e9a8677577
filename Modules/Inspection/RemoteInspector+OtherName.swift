import SyncProtocol

extension RemoteInspector {
  /// Folders that are looked into.
  private static let looked = 16

  /// What is said of a remote without an application, if sync data lie in it under a name that no identifier of an application can be, as
  /// conflict copies, downloads and backups have.
  func underOtherName(_ tree: RemoteNode, only: String?) async -> InspectionError? {
    guard only == nil else { return nil }
    let walk = RemoteWalk(backend: backend)
    for entry in tree.children.filter({ $0.role == .foreign && $0.path == nil }).prefix(Self.looked) {
      guard let name = RemoteName(entry.name, .classic),
        var node = try? await walk.application(under: name), ApplicationMarks.areBorne(by: node),
        node.failure == nil
      else { continue }
      // Sets tell nothing of names.
      node.children.removeAll { $0.name == "Documents" }
      return .underOtherName(entry.name, right: await trueName(node, name)?.description)
    }
    return nil
  }

  private func trueName(_ node: RemoteNode, _ name: RemoteName) async -> RemoteName? {
    guard
      let keys = try? await ApplicationKeys.open(
        node, named: name, password: password, keys: keys, backend: backend)
    else { return nil }
    return ApplicationReader(
      hierarchy: ApplicationHierarchy(application: name), node: node, keys: keys, backend: backend,
      sizeLimit: sizeLimit
    ).trueName()
  }
}

extension RemoteWalk {
  /// What lies in a folder as if it were that of an application, as deep as its marks.
  fileprivate func application(under name: RemoteName) async throws(BackendError) -> RemoteNode {
    var node = RemoteNode(
      name: name.description, path: RemotePath([name]), role: .application, size: nil, isFolder: true)
    try await list(&node)
    for _ in 0..<2 {
      let folders = node.all.filter { ApplicationMarks.mayLie(in: $0) && $0.children.isEmpty }.prefix(32)
      try await enter(Array(folders), of: &node) { _ in false }
    }
    return node
  }
}
