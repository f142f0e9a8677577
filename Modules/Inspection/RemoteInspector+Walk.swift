import SyncProtocol

extension RemoteInspector {
  /// Hands over each file and folder when it has been listed, parents first, so that somebody can be shown a large remote from the
  /// beginning. Memory holds the folders on the way down, each with its entries.
  ///
  /// - Parameters:
  ///   - openingFirst: whether the password is tried before the first entry is handed over, and not only when a file needs it.
  ///   - body: gets an entry without what lies below it, for each folder on the way whether it is the last there, and what
  ///     reading files adds to the names.
  /// - Throws: ``InspectionError``, or what `body` throws.
  public func walk(
    openingFirst: Bool = false,
    _ body: (_ entry: RemoteNode, _ isLast: [Bool], _ facts: RemoteFacts) async throws -> Void
  ) async throws {
    let walk = RemoteWalk(backend: backend)
    // Only the names of what the applications' folders hold: they tell whether this is a remote at all.
    let top = try await listing { () async throws(BackendError) in
      try await walk.root { $0.role == .application }
    }
    let hasApplications = top.children.contains { $0.role == .application }
    try await requireRoot(top)
    var reading = WalkedFacts(inspector: self)
    if openingFirst, hasApplications { try await reading.open() }
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

  /// Opens the applications before a file needs it.
  mutating func open() async throws(InspectionError) { _ = try await readers() }

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

  /// The applications with their keys.
  private mutating func readers() async throws(InspectionError) -> [String: ApplicationReader] {
    if let applications { return applications }
    let found = try await inspector.applications(in: inspector.treeOfFew())
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
