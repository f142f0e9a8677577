import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  static let sharing = [
    Flaw("each client keeps its listings", breaks: "what another client writes is listed") { memory in
      { client in
        let kept = Locked<[RemotePath: RemoteListing]>([:])
        client.beforeWriting { kept.withLock { $0 = [:] } }
        client.onList = { (path) async throws(BackendError) in
          if let listing = kept.withLock({ $0[path] }), !Task.isCancelled { return listing }
          let listing = try await memory.list(path)
          // Files that other programs add are noticed, as by a service that tells of them.
          if listing.foreign.isEmpty { kept.withLock { $0[path] = listing } }
          return listing
        }
      }
    },
    Flaw("each client keeps what it read", breaks: "what another client replaced is read anew") { memory in
      { client in
        let kept = Locked<[RemotePath: [UInt8]]>([:])
        client.beforeWriting { kept.withLock { $0 = [:] } }
        client.onDownload = { (path, limit) async throws(BackendError) in
          if let bytes = kept.withLock({ $0[path] }), bytes.count <= limit, !Task.isCancelled { return bytes }
          let bytes = try await memory.download(path, limit: limit)
          kept.withLock { $0[path] = bytes }
          return bytes
        }
      }
    },
    Flaw(
      "each client keeps what it examined",
      breaks: "what another client created, replaced or removed is examined anew"
    ) { memory in
      { client in
        let kept = Locked<[RemotePath: Result<RemoteEntry, BackendError>]>([:])
        client.beforeWriting { kept.withLock { $0 = [:] } }
        client.onStat = { (path) async throws(BackendError) in
          if let answer = kept.withLock({ $0[path] }), !Task.isCancelled { return try answer.get() }
          do throws(BackendError) {
            let entry = try await memory.stat(path)
            kept.withLock { $0[path] = .success(entry) }
            return entry
          } catch {
            if error.code == .notFound { kept.withLock { $0[path] = .failure(error) } }
            throw error
          }
        }
      }
    },
    Flaw(
      "each client keeps the sizes that it was told",
      breaks: "what another client created, replaced or removed is examined anew"
    ) { memory in
      { client in
        let kept = Locked<[RemotePath: Int64]>([:])
        client.beforeWriting { kept.withLock { $0 = [:] } }
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          kept.withLock { kept in
            entry.size = kept[path] ?? entry.size
            kept[path] = entry.size
          }
          return entry
        }
      }
    },
    Flaw(
      "a client creates what it knows to have been absent",
      breaks: "a name that another client took cannot be created"
    ) { memory in
      { client in
        let absent = Locked<Set<RemotePath>>([])
        client.onStat = { (path) async throws(BackendError) in
          do throws(BackendError) { return try await memory.stat(path) } catch {
            if error.code == .notFound { absent.withLock { _ = $0.insert(path) } }
            throw error
          }
        }
        client.onCreate = { (bytes, path) async throws(BackendError) in
          guard absent.withLock({ $0.contains(path) }), !(await memory.isFolder(path)) else {
            return try await memory.createIfAbsent(bytes, at: path)
          }
          try await memory.upload(bytes, to: path)
        }
      }
    },
    inStorage(
      "files are never written to the disk",
      breaks: "what was written, made and moved is there when the storage is opened again"
    ) {
      let memory = MemoryBackend()
      return reopening(memory, clients: Variation(memory)) {
        for file in memory.files.keys { try await memory.remove(file) }
      }
    },
    inStorage(
      "moves are never written to the disk",
      breaks: "what was written, made and moved is there when the storage is opened again"
    ) {
      let memory = MemoryBackend()
      let moved = Locked<[(from: RemotePath, to: RemotePath)]>([])
      var client = Variation(memory)
      client.onMove = { (source, destination) async throws(BackendError) in
        try await memory.move(source, to: destination)
        moved.withLock { $0.append((source, destination)) }
      }
      return reopening(memory, clients: client) {
        let moves: [(from: RemotePath, to: RemotePath)] = moved.withLock { $0 }
        for move in moves { try await memory.move(move.to, to: move.from) }
      }
    },
    inStorage(
      "removals are never written to the disk",
      breaks: "what was removed stays removed when the storage is opened again"
    ) {
      let memory = MemoryBackend()
      let removed = Locked<[RemotePath: [UInt8]]>([:])
      var client = Variation(memory)
      client.onRemove = { (path) async throws(BackendError) in
        let files = memory.files.filter { $0.key.names.starts(with: path.names) }
        try await memory.remove(path)
        removed.withLock { $0.merge(files) { $1 } }
      }
      return reopening(memory, clients: client) {
        let files: [RemotePath: [UInt8]] = removed.withLock { $0 }
        for (file, bytes) in files {
          if let parent = file.parent { try await memory.makeDirectory(parent) }
          try await memory.upload(bytes, to: file)
        }
      }
    },
  ]

  private static func reopening(
    _ memory: MemoryBackend, clients client: Variation, _ reopen: @escaping @Sendable () async throws -> Void
  ) -> ConformanceStorage {
    ConformanceStorage(
      connect: { client }, reopen: reopen, absentRoot: { absentRoot() },
      addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) }, keepsContentInMemory: true)
  }
}
