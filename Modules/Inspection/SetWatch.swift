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
  ///   - isUnlisted: called with the folders that storage does not list, after each look that shows others than the one before. What lies in a
  ///     folder when it is listed for the first time is taken for old, for nobody can tell since when it has.
  ///   - body: gets each set with its place, and what the author's device is called. What it throws ends the watch.
  /// - Throws: ``InspectionError``, `CancellationError`, or what `body` throws. A look that fails later, because the storage is away, is
  ///   made again.
  public func watchSets(
    every interval: Duration, whenReady isReady: () -> Void = {},
    whenUnlisted isUnlisted: ([UnlistedFolder]) -> Void = { _ in },
    _ body: (InspectedSet, String) async throws -> Void
  ) async throws {
    var watch = SetWatch(inspector: self)
    try await watch.begin()
    isReady()
    var told: [RemotePath] = []
    func tellUnlisted() {
      let paths = watch.unlisted.map(\.path)
      if paths != told { isUnlisted(watch.unlisted) }
      told = paths
    }
    tellUnlisted()
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
        tellUnlisted()
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
  /// The folders that storage did not list at the last look.
  private(set) var unlisted: [UnlistedFolder] = []
  /// Those of them that it has never listed.
  private var neverListed: Set<RemotePath> = []

  /// How often a set is looked at that cannot be read or that no head names, before it is told all the same.
  private static let patience = 10

  init(inspector: RemoteInspector) { self.inspector = inspector }

  mutating func begin() async throws {
    for reader in try await readers() { for file in reader.sets { seen.insert(file.path) } }
    neverListed = Set(unlisted.map(\.path))
  }

  /// Takes for old what lies in folders that are listed for the first time.
  private mutating func passOver(_ readers: [DocumentReader]) {
    guard !neverListed.isEmpty else { return }
    let still = neverListed.intersection(unlisted.map(\.path))
    let listed = neverListed.subtracting(still)
    for file in readers.flatMap(\.sets)
    where listed.contains(where: { file.path.names.starts(with: $0.names) }) {
      seen.insert(file.path)
    }
    // A folder of folders is listed before those in it.
    neverListed = still.union(
      unlisted.map(\.path).filter { path in listed.contains { path.names.starts(with: $0.names) } })
  }

  mutating func look(_ body: (InspectedSet, String) async throws -> Void) async throws {
    let readers = try await readers()
    passOver(readers)
    for reader in readers {
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
    let open = applications.values.filter { !$0.isLocked }
    unlisted = open.flatMap(\.unlistedHistory).sorted { $0.path < $1.path }
    return open.flatMap(\.documents)
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
