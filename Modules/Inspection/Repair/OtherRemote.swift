import SyncProtocol

/// Another copy of a remote, from which files are put back that this one lacks.
struct OtherRemote: Sendable {
  /// The files that are whole there, as far as a verification tells.
  private let whole: Set<RemotePath>
  /// The genuine foundings of its documents.
  private let foundings: [RemotePath: Set<IntegrityKey>]

  /// Looks at all of it.
  ///
  /// - Throws: ``InspectionError`` if it cannot be read.
  init(_ inspector: RemoteInspector) async throws(InspectionError) {
    let tree = try await inspector.tree()
    let applications = try await inspector.applications(in: tree)
    let verification = try await inspector.verify()
    let doubtful = Set(
      verification.findings.filter { $0.severity != .hint }.compactMap { RemotePath($0.path) })
    whole = Set(
      applications.flatMap { application in
        // What is locked was not compared with its name, but for sets.
        application.node.all.filter { node in
          guard let path = node.path, !node.isFolder, node.role != .foreign else { return false }
          if application.isLocked, case .set = node.role { return !doubtful.contains(path) }
          return !application.isLocked && !doubtful.contains(path)
        }.compactMap(\.path)
      })
    foundings = Dictionary(
      applications.flatMap(\.documents).map { ($0.hierarchy.root, Set($0.foundings)) }
    ) { first, _ in first }
  }

  /// Whether a file is there and whole.
  func has(_ path: RemotePath) -> Bool { whole.contains(path) }

  /// The whole files that lie directly in a folder, in order.
  func files(in folder: RemotePath) -> [RemotePath] { whole.filter { $0.parent == folder }.sorted() }

  /// The sets of an author's folder, by their names.
  func sets(in folder: RemotePath) -> [SetName] {
    whole.filter { $0.parent == folder }.compactMap { $0.name.flatMap { SetName($0) } }.sorted()
  }

  /// Whether the document there is the one here, and not another of the same name.
  func isSame(_ document: DocumentReader) -> Bool {
    let own = Set(document.foundings)
    return own.isEmpty || !own.isDisjoint(with: foundings[document.hierarchy.root] ?? [])
  }
}
