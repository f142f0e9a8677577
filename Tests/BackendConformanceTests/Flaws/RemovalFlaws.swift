import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  static let removal = [
    Flaw("removing what is not there succeeds", breaks: "a removed file is gone, and only that") { memory in
      changingRemovals(memory) { path, remove throws(BackendError) in
        if !(await memory.isAbsent(path)) { try await remove() }
      }
    },
    Flaw(
      "only folders of two levels are removed", breaks: "a folder is removed with everything in it"
    ) { memory in
      refusing(memory, below: 2)
    },
    Flaw(
      "removal refuses what is nested more than 32 deep",
      breaks: "however deep its folders are nested, a folder is removed whole"
    ) { memory in
      refusing(memory, below: 32)
    },
    Flaw(
      "removal leaves what is nested more than 64 deep to lie",
      breaks: "however deep its folders are nested, a folder is removed whole"
    ) { memory in
      changingRemovals(memory) { path, remove throws(BackendError) in
        let deep = memory.files(below: path).filter { $0.key.names.count - path.names.count > 64 }
        try await remove()
        for (file, bytes) in deep {
          for depth in 1..<file.names.count {
            let folder = RemotePath(Array(file.names[..<depth]))
            if await memory.isAbsent(folder) { try await memory.makeDirectory(folder) }
          }
          try await memory.upload(bytes, to: file)
        }
      }
    },
    Flaw(
      "files that were removed show for a moment, and stand in the way of their folder",
      breaks: "a folder can be removed as soon as its files are"
    ) { memory in
      let lingering = Locked<Set<RemotePath>>([])
      return changingRemovals(memory) { path, remove throws(BackendError) in
        if lingering.withLock({ $0.remove(path) }) != nil { throw BackendError(.alreadyExists, path: path) }
        try await remove()
        if let parent = path.parent { lingering.withLock { _ = $0.insert(parent) } }
      }
    }.breaking(
      also: "a watcher whose folder is removed and made again is told of it, or its stream ends",
      "what comes at once is what lies there then, whatever the client has read before"),
    Flaw(
      "a file that is being read keeps its folder from being removed",
      breaks: "a folder of which a file is being read is removed, or is locked until that has ended"
    ) { memory in
      let readers = Locked<[RemotePath: Int]>([:])
      let change = changingRemovals(memory) { path, remove throws(BackendError) in
        let isRead = readers.withLock { readers in
          readers.contains { $0.value > 0 && $0.key != path && $0.key.names.starts(with: path.names) }
        }
        if isRead { throw BackendError(.alreadyExists, path: path) }
        try await remove()
      }
      return { client in
        change(&client)
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          readers.withLock { $0[path, default: 0] += 1 }
          defer { readers.withLock { $0[path, default: 0] -= 1 } }
          try await memory.download(path, toFile: file, progress: progress)
        }
      }
    },
    Flaw("removed names stay taken", breaks: "a removed name can be used again") { memory in
      let removed = Locked<Set<RemotePath>>([])
      return { client in
        client.onRemove = { (path) async throws(BackendError) in
          try await memory.remove(path)
          removed.withLock { _ = $0.insert(path) }
        }
        client.onCreate = { (bytes, path) async throws(BackendError) in
          if removed.withLock({ $0.contains(path) }) { throw BackendError(.alreadyExists, path: path) }
          try await memory.createIfAbsent(bytes, at: path)
        }
      }
    },
    Flaw(
      "removal only hides: what was in a folder returns with it",
      breaks: "what was in a removed folder does not come back when it is made again"
    ) { memory in
      let removed = Locked<[RemotePath: [UInt8]]>([:])
      return { client in
        client.onRemove = { (path) async throws(BackendError) in
          let files = memory.files(below: path)
          try await memory.remove(path)
          removed.withLock { $0.merge(files) { $1 } }
        }
        client.onMakeDirectory = { (path) async throws(BackendError) in
          try await memory.makeDirectory(path)
          for (file, bytes) in removed.withLock({ $0 }) where file.parent == path {
            try await memory.upload(bytes, to: file)
          }
        }
      }
    },
    Flaw(
      "removal goes by prefix: LIKE 'a%'",
      breaks: "a removal takes nothing along whose name begins alike"
    ) { memory in
      removingAlso(memory) { $1.description.hasPrefix($0.description) }
    },
    Flaw(
      "removal goes by pattern: an underscore stands for anything",
      breaks: "an underscore or a dot in the name of what is removed stands for itself"
    ) { memory in
      removingAlso(memory) { $0.matchesAsPattern($1) }
    },
    Flaw(
      "removal goes without regard to case",
      breaks: "a removal of a name in one case takes nothing along that differs in case"
    ) { memory in
      removingAlso(memory) { $0.description.lowercased() == $1.description.lowercased() }
    },
    Flaw(
      "removal stops at a thousand", breaks: "a folder with more than a thousand files is removed whole"
    ) { memory in
      changingRemovals(memory) { path, remove throws(BackendError) in
        let files = memory.files(below: path).keys
        guard files.count > 1_000 else { return try await remove() }
        for file in files.prefix(1_000) { try await memory.remove(file) }
      }
    },
    Flaw(
      "content that files have in common goes with the first", breaks: "a removed file is gone, and only that"
    ) { memory in
      changingRemovals(memory) { path, remove throws(BackendError) in
        let content = memory.files[path]
        try await remove()
        for (other, bytes) in memory.files where bytes.count > 500 && bytes == content {
          memory.tamper(other) { $0 = [] }
        }
      }
    },
  ]

  private static func changingRemovals(
    _ memory: MemoryBackend,
    _ change:
      @escaping @Sendable (
        RemotePath, @escaping @Sendable () async throws(BackendError) -> Void
      ) async throws(BackendError) -> Void
  ) -> @Sendable (inout Variation) -> Void {
    { client in
      client.onRemove = { (path) async throws(BackendError) in
        // A cancelled task is told so before anything else.
        if Task.isCancelled { throw BackendError(.cancelled, path: path) }
        try await change(path) { () async throws(BackendError) in try await memory.remove(path) }
      }
    }
  }

  /// Removes no folder with files that are nested deeper than that.
  private static func refusing(
    _ memory: MemoryBackend, below limit: Int
  ) -> @Sendable (inout Variation) -> Void {
    changingRemovals(memory) { path, remove throws(BackendError) in
      let depth = memory.files(below: path).keys.map { $0.names.count - path.names.count }.max() ?? 0
      guard depth <= limit else { throw BackendError(.failed, path: path) }
      try await remove()
    }
  }

  /// Removes other entries along that match.
  private static func removingAlso(
    _ memory: MemoryBackend, _ matches: @escaping @Sendable (RemotePath, RemotePath) -> Bool
  ) -> @Sendable (inout Variation) -> Void {
    changingRemovals(memory) { path, remove throws(BackendError) in
      try await remove()
      let others = memory.snapshot.split(separator: "\n").compactMap {
        RemotePath($0.hasSuffix("/") ? $0.dropLast() : $0)
      }
      for other in others where other != path && matches(path, other) {
        do throws(BackendError) { try await memory.remove(other) } catch {
          guard error.code == .notFound else { throw error }
        }
      }
    }
  }
}
