import ChangeTracking
import SyncProtocol

extension RemoteInspector {
  /// Yields each set that appears from now on, until the task is cancelled.
  ///
  /// Where the storage tells of changes they are looked at as they come, elsewhere from time to time. A set that has not arrived in full, or that no head
  /// names yet, is told when it has, or after some looks, with what is wrong with it.
  ///
  /// - Parameters:
  ///   - interval: how long to wait at most until the next look.
  ///   - isReady: called when what is there already was looked at.
  ///   - body: gets each set with its place, and what the author's device is called. What it throws ends the watch.
  /// - Throws: ``InspectionError``, `CancellationError`, or what `body` throws. A look that fails later, because the storage is away, is
  ///   made again.
  public func watchSets(
    every interval: Duration, whenReady isReady: () -> Void = {},
    _ body: (InspectedSet, String) async throws -> Void
  ) async throws {
    var watch = SetWatch(inspector: self)
    try await watch.begin()
    isReady()
    let (looks, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let changes = backend.changes(below: .root)
    let feeds = [
      Task {
        while !Task.isCancelled {
          try? await Task.sleep(for: interval)
          continuation.yield()
        }
      },
      Task { if let changes { for await _ in changes { continuation.yield() } } },
    ]
    defer { for feed in feeds { feed.cancel() } }
    for await _ in looks {
      do {
        try await watch.look(body)
      } catch let error as InspectionError {
        switch error {
        case .storage: continue
        case .cancelled: throw CancellationError()
        default: throw error
        }
      }
    }
    throw CancellationError()
  }
}

/// What a watch has seen.
private struct SetWatch {
  let inspector: RemoteInspector
  /// Sets that were told, or were there from the beginning.
  private var seen: Set<RemotePath> = []
  /// Looks at sets that could not be read yet.
  private var tries: [RemotePath: Int] = [:]
  private var applications: [String: ApplicationReader] = [:]

  /// How often a set is looked at that cannot be read or that no head names, before it is told all the same.
  private static let patience = 10

  init(inspector: RemoteInspector) { self.inspector = inspector }

  mutating func begin() async throws {
    for reader in try await readers() { for file in reader.sets { seen.insert(file.path) } }
  }

  mutating func look(_ body: (InspectedSet, String) async throws -> Void) async throws {
    for reader in try await readers() {
      for file in reader.sets where !seen.contains(file.path) {
        try Task.checkCancellation()
        let result: Result<ChangeSet, ReadingFailure>
        do {
          result = .success(try await reader.read(file))
        } catch {
          result = .failure(error)
        }
        let head = reader.newestHeads[file.author]
        let isPublished = head.map { $0.sequence >= file.name.sequence } ?? false
        tries[file.path, default: 0] += 1
        guard isPublished && result.isSuccess || tries[file.path] ?? 0 >= Self.patience else { continue }
        seen.insert(file.path)
        tries[file.path] = nil
        var name = file.author.description
        if let head, let content = try? await reader.read(head) {
          name = DeviceName.shown(content.clientDescription)
        }
        try await body(
          InspectedSet(
            document: reader.hierarchy.document.description, author: file.author, name: file.name,
            path: file.path, size: file.size, result: result), name)
      }
    }
  }

  /// The documents as they are now. A password is tried only when there are other keys than before, for that is dear.
  private mutating func readers() async throws -> [DocumentReader] {
    let tree = try await inspector.tree()
    let nodes = tree.children.filter { $0.role == .application }
    let isKnown = nodes.allSatisfy { node in
      applications[node.name].map { $0.node.keyNames == node.keyNames } ?? false
    }
    if isKnown {
      for node in nodes { applications[node.name] = applications[node.name]?.with(node) }
    } else {
      let found = try await inspector.applications(in: tree)
      try inspector.requireOpen(found)
      applications = Dictionary(found.map { ($0.node.name, $0) }) { first, _ in first }
    }
    return applications.values.filter { !$0.isLocked }.flatMap(\.documents)
  }
}

extension ApplicationReader {
  /// The same keys for what lies there now.
  fileprivate func with(_ node: RemoteNode) -> ApplicationReader {
    ApplicationReader(
      hierarchy: hierarchy, node: node, keys: keys, backend: backend, sizeLimit: sizeLimit,
      isOfAnotherPassword: isOfAnotherPassword)
  }
}

extension RemoteNode {
  /// The names of the files that keep keys.
  fileprivate var keyNames: Set<String> {
    Set(
      all.compactMap { node in
        switch node.role {
        case .keyFile, .wrappedKey, .founding: node.path?.description
        default: nil
        }
      })
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
