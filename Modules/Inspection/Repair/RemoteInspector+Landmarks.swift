import SyncProtocol

extension RemoteInspector {
  /// Records that are told of each application and document, at most: whoever can write here can add thousands.
  private static let landmarksOfEach = 8

  /// Files by which whoever undoes a repair knows the remote again: the founding records of applications and documents, which nobody
  /// changes. Of an application without one it is its folder.
  static func landmarks(of applications: [ApplicationReader]) -> [QuarantineLog.Step] {
    applications.flatMap { application in
      let records = application.entries.compactMap { node -> RemotePath? in
        guard case .founding = node.role, let path = node.path, path.names.count > 2 else { return nil }
        return path
      }
      let groups = Dictionary(grouping: records) { $0.parent }.sorted {
        ($0.key ?? .root) < ($1.key ?? .root)
      }
      var paths = groups.flatMap { $0.value.sorted().prefix(landmarksOfEach) }
      if !groups.contains(where: { $0.key == application.hierarchy.founding }) {
        paths.insert(application.hierarchy.root, at: 0)
      }
      return paths.map { QuarantineLog.Step(kind: .landmark, path: "\($0)") }
    }
  }
}
