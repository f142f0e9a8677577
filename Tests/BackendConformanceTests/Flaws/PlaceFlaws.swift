import BackendConformance
import FileManagerBackend
import Locking
import SyncProtocol
import TemporaryFolders

extension Flaw {
  static let root = [
    Flaw("removing the root empties it", breaks: "the root is never removed, moved or replaced") { memory in
      { client in
        client.onRemove = { (path) async throws(BackendError) in
          guard path == .root else { return try await memory.remove(path) }
          memory.restore(MemoryBackend())
        }
      }
    },
    Flaw("the root is not found", breaks: "the root has no name, so nobody examines it") { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          guard path != .root else { throw BackendError(.notFound, path: path) }
          return try await memory.stat(path)
        }
      }
    },
    inStorage(
      "an absent root is not found", breaks: "a root that is absent is out of reach, neither absent nor empty"
    ) {
      withAbsentRoot { memory, client in
        client.onList = { (path) async throws(BackendError) in
          do throws(BackendError) { return try await memory.list(path) } catch {
            throw BackendError(.notFound, path: path)
          }
        }
      }
    },
    inStorage(
      "an absent root is empty", breaks: "a root that is absent is out of reach, neither absent nor empty"
    ) {
      withAbsentRoot { memory, client in
        client.onStat = { (path) async throws(BackendError) in throw BackendError(.notFound, path: path) }
      }
    },
    inStorage(
      "an absent root is made with the first folder", breaks: "a root that is absent is not made"
    ) {
      withAbsentRoot { memory, client in
        client.onMakeDirectory = { (path) async throws(BackendError) in
          memory.setReachable(true)
          try await memory.makeDirectory(path)
        }
      }
    },
    inStorage(
      "a root that was there once is empty when it has gone",
      breaks: "a root that is absent is out of reach, neither absent nor empty"
    ) {
      let memory = MemoryBackend()
      return storage(
        in: memory,
        connect: {
          let wasThere = Locked(false)
          var client = Variation(memory)
          client.onList = { (path) async throws(BackendError) in
            do throws(BackendError) {
              let listing = try await memory.list(path)
              wasThere.withLock { $0 = true }
              return listing
            } catch {
              guard error.code == .unreachable, wasThere.withLock({ $0 }) else { throw error }
              return RemoteListing()
            }
          }
          return client
        })
    },
  ]

  static let watching = watchingFlaws.map { flaw in
    var flaw = flaw
    flaw.patience = .milliseconds(200)
    // Whoever is told too little is told too little of what comes back, too.
    if flaw.law == toldLaw {
      flaw.mayBreak = Set(
        BackendConformance.laws.map(\.description).filter {
          $0.hasPrefix("a watcher whose")
            || [howeverMany, removedInside, forEver, comesLater, givenUp, spell, givenUpBefore].contains($0)
        })
    }
    return flaw
  }

  private static let watchingFlaws = [
    Flaw("watching is declared and not done", breaks: "a back end that declares to watch returns a stream") {
      _ in
      { client in client.onChanges = { _ in nil } }
    },
    Flaw("the stream stays silent", breaks: toldLaw) {
      _ in
      { client in
        client.onChanges = { _ in AsyncStream { _ in } }
      }
    },
    Flaw("what lies three folders deep is not watched", breaks: toldLaw) { memory in
      telling { folder in
        memory.files.filter { $0.key.names.count <= folder.names.count + 3 }.map { "\($0)" } + memory.folders
      }(memory)
    },
    Flaw("moves are not told", breaks: toldLaw) { memory in
      telling { _ in memory.files.values.map { "\($0)" } + memory.folders }(memory)
    },
    Flaw("what is moved in is not told, nor what happens in it", breaks: toldLaw) { memory in
      let moved = Locked<[RemotePath]>([])
      return { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          if source.parent != destination.parent { moved.withLock { $0.append(destination) } }
          try await memory.move(source, to: destination)
        }
        telling { folder in
          memory.files.filter { file in
            file.key.names.starts(with: folder.names)
              && !moved.withLock { $0.contains { file.key.names.starts(with: $0.names) } }
          }.map { "\($0)" }
            + memory.folders.filter { folder in
              !moved.withLock { $0.contains { folder.hasPrefix("\($0)") } }
            }
        }(memory)(&client)
      }
    },
    Flaw("a folder that is removed is not told", breaks: toldLaw) { memory in
      let ghosts = Locked<Set<String>>([])
      return { client in
        client.onRemove = { (path) async throws(BackendError) in
          if await memory.isFolder(path) {
            let lost =
              memory.files(below: path).map { "\($0)" } + memory.folders.filter { $0.hasPrefix("\(path)/") }
            ghosts.withLock { $0.formUnion(lost) }
          }
          try await memory.remove(path)
        }
        telling { _ in
          Array(ghosts.withLock { $0 }.union(memory.files.map { "\($0)" } + memory.folders))
        }(memory)(&client)
      }
    },
    Flaw("one stream of each client is told", breaks: toldLaw) { memory in
      { client in
        let hasStream = Locked(false)
        client.onChanges = { folder in
          let isFirst = hasStream.withLock { has in
            defer { has = true }
            return !has
          }
          return isFirst ? memory.changes(below: folder) : AsyncStream { _ in }
        }
      }
    },
    Flaw("one client of the storage is told", breaks: toldLaw) { memory in
      let clients = Locked(0)
      return { client in
        let number = clients.withLock { count in
          count += 1
          return count
        }
        client.onChanges = { folder in number == 1 ? memory.changes(below: folder) : AsyncStream { _ in } }
      }
    },
    Flaw("folders are not watched", breaks: toldLaw) { memory in
      telling { folder in memory.files.filter { $0.key.parent == folder }.map { "\($0)" } }(memory)
    },
    Flaw("watching begins when somebody reads", breaks: toldLaw) { memory in
      { client in
        client.onChanges = { folder in
          let begun = Locked<AsyncStream<Void>?>(nil)
          return AsyncStream {
            let stream = begun.withLock { stream in
              if stream == nil { stream = memory.changes(below: folder) }
              return stream
            }
            guard let stream else { return nil }
            for await _ in stream { return () }
            return nil
          }
        }
      }
    },
    Flaw("the stream ends after nine changes", breaks: toldLaw) { memory in
      { client in
        client.onChanges = { folder in
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          guard let all = memory.changes(below: folder) else { return nil }
          let reader = Task {
            var count = 0
            for await _ in all where count < 9 {
              count += 1
              told.yield()
            }
          }
          told.onTermination = { _ in reader.cancel() }
          return stream
        }
      }
    },
  ]

  static let toldLaw = "a watcher is told of what another client does, however deep"

  /// Reports a change only where what is looked at has become another.
  private static func telling(
    _ look: @escaping @Sendable (RemotePath) -> [String]
  ) -> @Sendable (MemoryBackend) -> @Sendable (inout Variation) -> Void {
    { memory in
      { client in
        client.onChanges = { folder in
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          guard let all = memory.changes(below: folder) else { return nil }
          let reader = Task {
            var known = look(folder).sorted()
            for await _ in all {
              let now = look(folder).sorted()
              if now != known { told.yield() }
              known = now
            }
          }
          told.onTermination = { _ in reader.cancel() }
          return stream
        }
      }
    }
  }

  static let memory = [
    inFolder(
      "a file is read whole before it is uploaded", breaks: "an upload of a large file takes constant memory"
    ) { backend, client in
      client.onUploadFile = { (file, path, progress) async throws(BackendError) in
        let bytes = try content(of: file)
        try await backend.upload(file: file, to: path, progress: progress)
        withExtendedLifetime(bytes) {}
      }
    },
    inFolder(
      "a file is downloaded whole before it is written",
      breaks: "a download of a large file takes constant memory"
    ) { backend, client in
      client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
        let bytes = try await backend.download(path, limit: .max)
        try await backend.download(path, toFile: file, progress: progress)
        withExtendedLifetime(bytes) {}
      }
    },
    inFolder(
      "a file is read whole before its size is looked at",
      breaks: "a file that is larger than the limit is refused without being read"
    ) { backend, client in
      client.onDownload = { (path, limit) async throws(BackendError) in
        let bytes = try await backend.download(path, limit: .max)
        guard bytes.count <= limit else { throw BackendError(.tooLarge, path: path) }
        return bytes
      }
    },
    inFolder(
      "a file is read whole before it is created", breaks: "an upload of a large file takes constant memory"
    ) { backend, client in
      client.onCreateFile = { (file, path, progress) async throws(BackendError) in
        let bytes = try content(of: file)
        try await backend.createIfAbsent(file: file, at: path, progress: progress)
        withExtendedLifetime(bytes) {}
      }
    },
  ]

  private static func withAbsentRoot(
    _ change: (MemoryBackend, inout Variation) -> Void
  ) -> ConformanceStorage {
    let memory = MemoryBackend()
    let absent = absentRoot()
    var client = Variation(absent)
    change(absent, &client)
    let changed = client
    return ConformanceStorage(
      connect: { memory }, absentRoot: { changed },
      addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) },
      keepsContentInMemory: true)
  }

  /// Plants an error into a folder, whose content is not in memory.
  private static func inFolder(
    _ description: String, breaks law: String,
    _ change: @escaping @Sendable (FileManagerBackend, inout Variation) -> Void
  ) -> Flaw {
    inStorage(description, breaks: law) {
      let folder = try TemporaryFolder()
      return ConformanceStorage(connect: {
        let backend = FileManagerBackend(folder: folder.path)
        var client = Variation(backend)
        change(backend, &client)
        return client
      })
    }
  }
}
