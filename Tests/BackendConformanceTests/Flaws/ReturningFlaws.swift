import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  static let removedInside =
    "a watcher is told of what is written into a folder that was removed and made again"
  private static let away =
    "a watcher whose root was away for a moment is told of what comes then, or its stream ends"
  static let comesLater =
    "a watcher of a folder that is not there is told of it when it comes, or its stream ends"
  static let givenUp = "a stream of changes that is given up leaves the others alone"
  static let forEver = "a watcher is not told for ever of what is no change in its folder"

  static let returning = returningFlaws.map { flaw in
    var flaw = flaw
    flaw.patience = .milliseconds(200)
    return flaw
  }

  private static let returningFlaws = [
    losing("a folder that was removed is not watched when it comes again", breaks: removedInside) {
      went, folder in
      went.filter { $0.what == .removed && $0.path != folder && $0.path.names.starts(with: folder.names) }
    },
    losing(
      "a stream falls silent when its folder is removed",
      breaks: "a watcher whose folder is removed and made again is told of it, or its stream ends"
    ) { went, folder in
      went.contains { $0.what == .removed && folder.names.starts(with: $0.path.names) }
        ? [Gone(.removed, .root)] : []
    },
    losing(
      "a stream goes along with its folder",
      breaks: "a watcher whose folder is moved away and made again is told of it, or its stream ends"
    ) { went, folder in
      went.contains { $0.what == .moved && folder.names.starts(with: $0.path.names) }
        ? [Gone(.moved, .root)] : []
    },
    losing("a stream falls silent when the root has been away", breaks: away) { went, _ in
      went.filter { $0.what == .rootAway }
    },
    inStorage(
      "who has found the root missing looks no more",
      breaks: "a root that comes back is as it was, to whoever has used it before"
    ) {
      let memory = MemoryBackend()
      return storage(
        in: memory,
        connect: {
          let isMissed = Locked(false)
          var client = Variation(memory)
          client.onList = { (path) async throws(BackendError) in
            do throws(BackendError) {
              if isMissed.withLock({ $0 }) { throw BackendError(.unreachable, path: path) }
              return try await memory.list(path)
            } catch {
              if error.code == .unreachable { isMissed.withLock { $0 = true } }
              throw error
            }
          }
          return client
        })
    },
    adding("reading is told as a change", breaks: forEver) { memory, told, client in
      client.onDownload = { (path, limit) async throws(BackendError) in
        let bytes = try await memory.download(path, limit: limit)
        for stream in told.withLock({ $0 }) { stream.yield() }
        return bytes
      }
    },
    adding("something is told all the time", breaks: forEver) { memory, told, client in
      let changes = client.onChanges
      client.onChanges = { folder in
        let stream = changes(folder)
        guard let added = told.withLock({ $0.last }) else { return nil }
        let ticking = Task {
          while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(2))
            added.yield()
          }
        }
        let onTermination = added.onTermination
        added.onTermination = { reason in
          ticking.cancel()
          onTermination?(reason)
        }
        return stream
      }
    },
    adding("what happens in folders whose names begin alike is told", breaks: forEver) {
      memory, told, client in
      client.onUpload = { (bytes, path) async throws(BackendError) in
        try await memory.upload(bytes, to: path)
        guard let first = path.names.first?.description, first.hasPrefix("watched"), first != "watched" else {
          return
        }
        for stream in told.withLock({ $0 }) { stream.yield() }
      }
    },
    Flaw("a folder that is not there is watched in silence", breaks: comesLater) { memory in
      { client in
        client.onChanges = { folder in
          let isThere = folder == .root || memory.folders.contains("\(folder)/")
          return isThere ? memory.changes(below: folder) : AsyncStream { _ in }
        }
      }
    },
    inStorage("a root that is away is watched in silence", breaks: comesLater) {
      let memory = MemoryBackend()
      let isAway = Locked(false)
      var client = Variation(memory)
      client.onChanges = { folder in
        isAway.withLock { $0 } ? AsyncStream { _ in } : memory.changes(below: folder)
      }
      let silent = client
      return ConformanceStorage(
        connect: { silent }, absentRoot: { absentRoot() },
        takeRootAway: {
          isAway.withLock { $0 = true }
          memory.setReachable(false)
        },
        bringRootBack: {
          isAway.withLock { $0 = false }
          memory.setReachable(true)
        }, addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) }, keepsContentInMemory: true)
    },
    Flaw("whoever gives up a stream ends all of the client", breaks: givenUp) { memory in
      { client in
        let isGivenUp = Locked(false)
        client.onChanges = { folder in
          guard let all = memory.changes(below: folder) else { return nil }
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          isGivenUp.withLock { $0 = false }
          let reader = Task { for await _ in all where !isGivenUp.withLock({ $0 }) { told.yield() } }
          told.onTermination = { _ in
            isGivenUp.withLock { $0 = true }
            reader.cancel()
          }
          return stream
        }
      }
    }.breakingAllOfWatchers,
    Flaw("whatever is watched, all changes of the storage are told", breaks: forEver) { memory in
      { client in client.onChanges = { _ in memory.changes(below: .root) } }
    },
  ]

  /// Laws give up streams, too.
  var breakingAllOfWatchers: Flaw {
    var flaw = self
    flaw.mayBreak.formUnion(BackendConformance.laws.map(\.description).filter { $0.hasPrefix("a watcher") })
    return flaw
  }

  /// What went away, and how.
  private struct Gone: Sendable {
    enum What { case removed, moved, rootAway }
    let what: What
    let path: RemotePath

    init(_ what: What, _ path: RemotePath) {
      self.what = what
      self.path = path
    }
  }

  /// Streams that tell nothing of certain places once something has gone since they were asked for.
  ///
  /// - Parameter lost: from what has gone and the folder that is watched, the places; the root for all.
  private static func losing(
    _ description: String, breaks law: String,
    _ lost: @escaping @Sendable ([Gone], RemotePath) -> [Gone]
  ) -> Flaw {
    inStorage(description, breaks: law) {
      let memory = MemoryBackend()
      let went = Locked<[Gone]>([])
      var client = Variation(memory)
      client.onRemove = { (path) async throws(BackendError) in
        let isFolder = await memory.isFolder(path)
        // Noted before, so that whoever looks when he is told knows.
        if isFolder { went.withLock { $0.append(Gone(.removed, path)) } }
        try await memory.remove(path)
      }
      client.onMove = { (source, destination) async throws(BackendError) in
        went.withLock { $0.append(Gone(.moved, source)) }
        try await memory.move(source, to: destination)
      }
      client.onChanges = { folder in
        let start = went.withLock { $0.count }
        let (stream, told) = AsyncStream.makeStream(of: Void.self)
        @Sendable func look() -> [String] {
          let places = lost(Array(went.withLock { $0[start...] }), folder).map(\.path)
          return memory.files.filter { file in
            file.key.names.starts(with: folder.names)
              && !places.contains { file.key.names.starts(with: $0.names) }
          }.map { "\($0)" }.sorted() + (places.isEmpty ? memory.folders : [])
        }
        guard let all = memory.changes(below: folder) else { return nil }
        let before = look()
        let reader = Task {
          var known = before
          for await _ in all {
            let now = look()
            if now != known { told.yield() }
            known = now
          }
        }
        told.onTermination = { _ in reader.cancel() }
        return stream
      }
      let losing = client
      return ConformanceStorage(
        connect: { losing }, absentRoot: { absentRoot() },
        takeRootAway: {
          went.withLock { $0.append(Gone(.rootAway, .root)) }
          memory.setReachable(false)
        }, bringRootBack: { memory.setReachable(true) },
        addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) },
        keepsContentInMemory: true)
    }
  }

  /// Streams of changes that something can be added to.
  private static func adding(
    _ description: String, breaks law: String,
    _ add:
      @escaping @Sendable (
        MemoryBackend, Locked<[AsyncStream<Void>.Continuation]>, inout Variation
      ) -> Void
  ) -> Flaw {
    Flaw(description, breaks: law) { memory in
      let streams = Locked<[AsyncStream<Void>.Continuation]>([])
      return { client in
        client.onChanges = { folder in
          guard let all = memory.changes(below: folder) else { return nil }
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          let reader = Task { for await _ in all { told.yield() } }
          told.onTermination = { _ in reader.cancel() }
          streams.withLock { $0.append(told) }
          return stream
        }
        add(memory, streams, &client)
      }
    }
  }
}
