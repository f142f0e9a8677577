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
    let tree = try await tree()
    let applications = try await applications(in: tree)
    var verification = try await verify(named: remote)
    await verification.findWholeCopies(tree, self)
    var source: OtherRemote?
    if let other { source = try await OtherRemote(other) }
    var planner = RepairPlanner(
      tree, applications, verification, other: source, kept: kept,
      asker: AuthorID(bits: .random(in: 1 ... .max)))
    return planner.make()
  }
}

extension Verification {
  /// Reads the copies that replicators have put beside sets, and notes those that are the set.
  fileprivate mutating func findWholeCopies(_ tree: RemoteNode, _ inspector: RemoteInspector) async {
    for finding in findings where finding.code == .conflictCopy {
      guard let path = RemotePath(finding.path), let folder = path.parent, let name = path.name,
        let parent = tree.all.first(where: { $0.path == folder }),
        let original = EntryChecks.original(name.description, in: parent).flatMap({ SetName($0) }),
        let bytes = try? await inspector.backend.download(path, limit: inspector.sizeLimit),
        ContentHash(of: bytes) == original.hash
      else { continue }
      whole.insert(path)
    }
  }
}
