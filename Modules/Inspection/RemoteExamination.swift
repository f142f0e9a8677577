/// Everything about a remote, from one look at it.
public struct RemoteExamination: Sendable {
  /// What lies where.
  public let tree: RemoteNode
  /// Totals, documents and authors.
  public let overview: RemoteOverview
  /// What is wrong.
  public let verification: Verification
}

extension RemoteInspector {
  /// Lists, sums up and verifies a remote. Each file is read once, but heads and descriptions.
  ///
  /// - Parameters:
  ///   - remote: how the remote is named in the commands that findings suggest.
  ///   - visitor: is shown each set that is verified.
  /// - Throws: ``InspectionError`` if the remote as a whole cannot be read.
  public func examine(
    named remote: String, visitor: any SetVisitor
  ) async throws(InspectionError) -> RemoteExamination {
    try await withSteadyKeys { inspector, _ throws(InspectionError) in
      let (tree, applications) = try await inspector.treeWithApplications()
      return RemoteExamination(
        tree: tree, overview: try await inspector.overview(tree, applications),
        verification: try await inspector.verify(
          tree, applications, named: remote, depth: .data, visitor: visitor))
    }
  }
}
