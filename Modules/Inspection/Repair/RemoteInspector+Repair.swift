import ChangeTracking
import SyncProtocol

extension RemoteInspector {
  /// Decides what can be done about what is wrong, and changes nothing.
  ///
  /// - Parameters:
  ///   - other: another copy of the remote, from which lost files are taken.
  ///   - kept: what the store of a device keeps, which is put back too.
  ///   - remote: how the remote is named in the commands that findings suggest.
  /// - Throws: ``InspectionError`` if one of them cannot be read.
  public func planRepair(
    from other: RemoteInspector? = nil, keeping kept: KeptFiles? = nil, named remote: String = "REMOTE"
  ) async throws(InspectionError) -> RepairPlan {
    let (tree, applications) = try await treeWithApplications(orNoneIf: other != nil)
    var verification = Verification()
    if !applications.isEmpty {
      verification = try await verify(tree, applications, named: remote, depth: .data)
    }
    let copies = verification.conflictCopies(tree)
    await verification.whole.formUnion(ConflictCopies(self, applications).whole(copies))
    var source: OtherRemote?
    if let other {
      do throws(InspectionError) {
        source = try await OtherRemote(other)
      } catch {
        if case .cancelled = error { throw error }
        throw .copy(error)
      }
    }
    var planner = RepairPlanner(
      tree, applications, verification, other: source, kept: kept,
      asker: AuthorID(bits: .random(in: 1 ... .max)))
    return planner.make()
  }

  /// The applications, or none where another copy may have all that was there.
  func applications(
    in tree: RemoteNode, orNoneIf hasCopy: Bool
  ) async throws(InspectionError) -> [ApplicationReader] {
    do throws(InspectionError) {
      return try await applications(in: tree)
    } catch {
      guard case .nothingThere = error, hasCopy else { throw error }
      return []
    }
  }
}

extension RemotePath {
  /// Where a copy lies. Replicators put spaces, brackets and apostrophes into names, none of which a name of ours holds.
  init?(copy text: String) {
    self.init(text, .classic)
  }
}

extension Verification {
  /// The copies that replicators have put beside files of ours, with the places of these.
  fileprivate func conflictCopies(_ tree: RemoteNode) -> [(copy: RemotePath, original: RemotePath)] {
    let paths = findings.filter { $0.code == .conflictCopy }.compactMap { RemotePath(copy: $0.path) }
    let wanted = Set(paths.compactMap(\.parent))
    guard !wanted.isEmpty else { return [] }
    let folders = Dictionary(
      tree.all.compactMap { node in node.path.flatMap { wanted.contains($0) ? ($0, node) : nil } }
    ) { first, _ in first }
    return paths.compactMap { path in
      guard let parent = path.parent, let folder = folders[parent], let name = path.name,
        let original = EntryChecks.original(name.description, in: folder)
      else { return nil }
      return (path, parent.appending(original))
    }
  }
}
