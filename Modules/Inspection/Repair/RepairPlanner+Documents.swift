import SyncProtocol

/// Documents that are lost as a whole and that another copy of the remote has.
///
/// Their founding records come last: before, whoever joins is told that the document has not arrived, whatever of it lies there. A repair
/// that was interrupted goes on from there, since a document without a record still counts as lost.
extension RepairPlanner {
  mutating func restoreDocuments() {
    guard let other else { return }
    for application in applications where other.isSame(application) {
      let deleted = application.deletedFoundings
      for lost in other.documents(of: application.hierarchy) {
        let isThere = documents[lost.root].map { !$0.foundings.isEmpty } ?? false
        if isThere || !deleted.isDisjoint(with: lost.foundings) { continue }
        guard let name = lost.root.name else { continue }
        restore(other.files(below: lost.root), of: application.hierarchy.document(name))
      }
    }
  }

  mutating func restore(_ files: [RemotePath], of document: DocumentHierarchy) {
    let isGone = nodes[document.root]?.isFolder != true
    let restored = files.compactMap { path -> (path: RemotePath, rank: Int)? in
      let role = FileRole(path: path.names, kind: .file)
      // Notes of absences are removed when a device returns.
      return role == .deletion && !isGone ? nil : rank(role).map { (path, $0) }
    }.sorted { ($0.rank, $0.path) < ($1.rank, $1.path) }
    // Those that every document has, whatever lies in them.
    let own = [
      document.root, document.integrityKey, document.syncChanges, document.recentSyncs, document.wholeStore,
      document.deletedClients,
    ]
    for folder in Set(own + restored.compactMap(\.path.parent)).sorted() where nodes[folder]?.isFolder != true
    {
      add(RepairAction(path: folder, change: .makeFolder, reason: "The document lay there."))
    }
    for (path, _) in restored { takeFromOther(path) }
  }

  /// The order in which the files of a document come; `nil` for those that are of no use any more.
  private func rank(_ role: FileRole) -> Int? {
    switch role {
    case .foreign, .request: nil
    case .set, .longValue, .wholeStore: 0
    case .founding: 2
    default: 1
    }
  }
}
