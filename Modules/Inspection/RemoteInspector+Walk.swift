import SyncProtocol

extension RemoteInspector {
  /// Hands over each file and folder when it has been listed, parents first, so that somebody can be shown a large remote from the
  /// beginning. Memory holds the folders on the way down, each with its entries.
  ///
  /// - Parameter body: gets an entry without what lies below it, for each folder on the way whether it is the last there, and what
  ///   reading files adds to the names.
  /// - Throws: ``InspectionError``, or what `body` throws. A wrong password is noticed when the first file needs it.
  public func walk(
    _ body: (_ entry: RemoteNode, _ isLast: [Bool], _ facts: RemoteFacts) async throws -> Void
  ) async throws {
    let walk = RemoteWalk(backend: backend)
    // Only the names of what the applications' folders hold: they tell whether this is a remote at all.
    let top = try await listing { () async throws(BackendError) in
      try await walk.root { $0.role == .application }
    }
    if top.children.contains(where: { $0.role == .application }) { try await requireRoot(top) }
    var reading = WalkedFacts(inspector: self)
    for (index, node) in top.children.enumerated() {
      try await visit(node, [index == top.children.count - 1], walk, &reading, body)
    }
  }

  private func visit(
    _ entry: RemoteNode, _ isLast: [Bool], _ walk: RemoteWalk, _ reading: inout WalkedFacts,
    _ body: (RemoteNode, [Bool], RemoteFacts) async throws -> Void
  ) async throws {
    if Task.isCancelled { throw InspectionError.cancelled }
    var node = try await listing { () async throws(BackendError) in
      var node = entry
      try await walk.list(&node)
      return node
    }
    let children = node.children
    node.children = []
    let facts = try await reading.facts(about: node)
    try await body(node, isLast, facts)
    for (index, child) in children.enumerated() {
      try await visit(child, isLast + [index == children.count - 1], walk, &reading, body)
    }
  }

  private func listing<Result>(_ work: () async throws(BackendError) -> Result) async throws(InspectionError)
    -> Result
  {
    do {
      return try await work()
    } catch {
      throw error.code == .cancelled ? .cancelled : .storage(error)
    }
  }
}

/// Reads what entries need when their turn comes.
private struct WalkedFacts {
  let inspector: RemoteInspector
  private var applications: [String: ApplicationReader]?
  private var names = RemoteFacts()

  init(inspector: RemoteInspector) { self.inspector = inspector }

  /// What is known of a file or folder; of others only the names of devices.
  mutating func facts(about node: RemoteNode) async throws(InspectionError) -> RemoteFacts {
    switch node.role {
    case .folder, .application, .readMe, .document, .foreign, .serverTest: return names
    default: break
    }
    guard let application = node.path?.names.first,
      let reader = try await readers()[application.description]
    else { return names }
    var facts = names
    await facts.add(node, reader)
    return facts
  }

  /// The applications with their keys. Sets and long values are many, and not needed for it.
  private mutating func readers() async throws(InspectionError) -> [String: ApplicationReader] {
    if let applications { return applications }
    let tree: RemoteNode
    do {
      tree = try await RemoteWalk(backend: inspector.backend).root { node in
        !["SyncChanges", "LongValues", "WholeStore"].contains(node.name) || node.path?.names.count != 4
      }
    } catch {
      throw error.code == .cancelled ? .cancelled : .storage(error)
    }
    let found = try await inspector.applications(in: tree)
    names.authors = await inspector.clientDescriptions(found)
    for reader in found {
      for node in reader.node.all {
        guard case .client(let client) = node.role, let name = RemoteName(client) else { continue }
        let path = reader.hierarchy.deviceInformation(of: name)
        names.clients[client] = (try? await reader.deviceInformation(path, of: client))?.description
      }
    }
    let readers = Dictionary(found.map { ($0.node.name, $0) }) { first, _ in first }
    applications = readers
    return readers
  }
}
