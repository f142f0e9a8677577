import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  private static let bigMove =
    "a folder with more than a thousand entries is moved whole, and leaves nothing behind"

  private static let declared = "a back end that declares to move does so"

  static let moving = movingFlaws.map { flaw in
    var flaw = flaw
    // What becomes of a small folder becomes of a big one, too.
    if flaw.law != bigMove { flaw.mayBreak.insert(bigMove) }
    return flaw
  }

  private static let movingFlaws = [
    Flaw("moving is declared and not done", breaks: "a back end that declares to move does so") { memory in
      { client in
        client.onMove = { (source, _) async throws(BackendError) in
          if Task.isCancelled { throw BackendError(.cancelled, path: source) }
          throw BackendError(.unsupported, path: source)
        }
      }
    }.breaking(also: "what other programs put into a folder is read, moved and removed under its own name"),
    refusing("files are moved within their folder only") { $0.parent != $1.parent },
    refusing("names that begin alike are no place to move to") { $1.description.hasPrefix($0.description) },
    Flaw("folders are not moved", breaks: declared) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          if await memory.isFolder(source) { throw BackendError(.unsupported, path: source) }
          try await memory.move(source, to: destination)
        }
      }
    },
    Flaw("a folder moves without what is in it", breaks: "files and folders move with their content") {
      memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let isFolder = await memory.isFolder(source)
          try await memory.move(source, to: destination)
          // Of those that move to one name at once, nobody else may get in between.
          if isFolder {
            await uncancelled {
              for file in memory.files(below: destination).keys { try await memory.remove(file) }
            }
          }
        }
      }
    },
    Flaw("a folder moves without the empty ones in it", breaks: "files and folders move with their content") {
      memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          try await memory.move(source, to: destination)
          for text in memory.folders.sorted().reversed() where text.hasPrefix("\(destination)/") {
            guard let folder = RemotePath(text.dropLast()), folder != destination,
              memory.files(below: folder).isEmpty
            else { continue }
            try await memory.remove(folder)
          }
        }
      }
    },
    Flaw(
      "a folder moves without what other programs put into it",
      breaks: "a folder is moved together with what other programs put into it"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          guard let foreign = try? await memory.list(source).foreign, !foreign.isEmpty else {
            return try await memory.move(source, to: destination)
          }
          try await memory.makeDirectory(destination)
          for entry in try await memory.list(source).entries {
            try await memory.move(source.appending(entry.name), to: destination.appending(entry.name))
          }
          try await memory.remove(source)
        }
      }
    },
    misnaming("a move that fails names the source, whatever it failed for") { source, _ in source },
    misnaming("a move that fails names the destination, whatever it failed for") { $1 },
    Flaw(
      "a move of a file takes along those whose names begin alike, deeper than the root",
      breaks: "a move takes nothing along whose name begins alike"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let isDeep = source.names.count > 2 && memory.files[source] != nil
          try await memory.move(source, to: destination)
          guard isDeep else { return }
          for file in memory.files.keys
          where "\(file)".hasPrefix("\(source)") && file.parent == source.parent && file != destination {
            try await memory.remove(file)
          }
        }
      }
    },
    Flaw(
      "a folder is copied, file by file, and then removed with what has come since",
      breaks:
        "what is written into a folder while it is moved is at one of the places, or its writer is told that it is not"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          guard source.description.hasPrefix("moving-") else {
            return try await memory.move(source, to: destination)
          }
          let files = memory.files(below: source)
          try await memory.makeDirectory(destination)
          for (file, bytes) in files {
            guard let name = file.name else { continue }
            try await memory.upload(bytes, to: destination.appending(name))
            await pause()
          }
          try await memory.remove(source)
        }
      }
    },
    Flaw("a folder moves without what lies deeper in it", breaks: "files and folders move with their content")
    {
      memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let deep = memory.files(below: source).keys.filter { $0.names.count > source.names.count + 2 }
          try await memory.move(source, to: destination)
          for path in deep {
            try await memory.remove(RemotePath(destination.names + path.names.dropFirst(source.names.count)))
          }
        }
      }
    },
    Flaw(
      "a name that the old one begins counts as a place inside",
      breaks: "a move takes nothing along whose name begins alike"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          guard
            !destination.description.hasPrefix(source.description) || source == .root
              || destination.names.starts(with: source.names)
          else { throw BackendError(.failed, path: source, detail: "into itself") }
          try await memory.move(source, to: destination)
        }
      }
    }.breaking(also: declared),
    Flaw(
      "a file is moved over another",
      breaks: "a move never replaces and needs a source and a folder to go to"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          // Not over a big one, for of those that race to one name, only the last would be left.
          if source != destination, memory.files[source] != nil, memory.files[destination]?.count == 1 {
            try await memory.remove(destination)
          }
          try await memory.move(source, to: destination)
        }
      }
    },
    Flaw(
      "a file that is moved onto itself is copied, and the old one removed",
      breaks: "a file that is moved onto itself stays, for its name is taken"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          guard source == destination, memory.files[source] != nil else {
            return try await memory.move(source, to: destination)
          }
          try await memory.remove(source)
        }
      }
    },
    Flaw(
      "a file that is moved onto itself is taken for moved",
      breaks: "a file that is moved onto itself stays, for its name is taken"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          if source != destination { try await memory.move(source, to: destination) }
        }
      }
    },
    Flaw(
      "a folder is moved onto an empty one, as rename(2) does",
      breaks: "a folder is never moved onto a folder"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          if await memory.isFolder(source), await memory.isFolder(destination),
            memory.files(below: destination).isEmpty
          {
            try await memory.remove(destination)
          }
          try await memory.move(source, to: destination)
        }
      }
    },
    Flaw(
      "a move goes by prefix: LIKE 'a%'", breaks: "a move takes nothing along whose name begins alike"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let isFolder = await memory.isFolder(source)
          try await memory.move(source, to: destination)
          guard isFolder else { return }
          for entry in try await memory.list(.root).entries {
            let name = entry.name.description
            guard name.hasPrefix(source.description), let other = RemotePath(name),
              let moved = RemotePath(destination.description + name.dropFirst(source.description.count))
            else { continue }
            try await memory.move(other, to: moved)
          }
        }
      }
    }.breaking(also: declared),
    Flaw("a moved folder leaves a ghost", breaks: "a folder that was moved away leaves nothing behind") {
      memory in
      let ghosts = Locked<[RemotePath: [UInt8]]>([:])
      return { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let files = memory.files(below: source)
          try await memory.move(source, to: destination)
          ghosts.withLock { $0.merge(files) { $1 } }
        }
        client.onMakeDirectory = { (path) async throws(BackendError) in
          try await memory.makeDirectory(path)
          for (file, bytes) in ghosts.withLock({ $0 }) where file.parent == path {
            try await memory.upload(bytes, to: file)
          }
        }
      }
    },
    Flaw("a folder that is moved into itself is lost", breaks: "a folder is not moved into itself") {
      memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let goesInside = source != .root && destination.names.starts(with: source.names)
          guard goesInside, await memory.isFolder(source), await memory.isAbsent(destination) else {
            return try await memory.move(source, to: destination)
          }
          try await memory.remove(source)
        }
      }
    },
    Flaw(
      "a folder that is moved deep into itself is lost", breaks: "a folder is not moved into itself"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let goesDeep =
            source != .root && destination.names.starts(with: source.names)
            && destination.names.count > source.names.count + 1
          guard goesDeep, await memory.isFolder(source), await memory.isAbsent(destination) else {
            return try await memory.move(source, to: destination)
          }
          try await memory.remove(source)
        }
      }
    },
    Flaw(
      "a file that is moved onto a folder goes into it",
      breaks: "a move never replaces and needs a source and a folder to go to"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          guard memory.files[source] != nil, let name = source.name, await memory.isFolder(destination) else {
            return try await memory.move(source, to: destination)
          }
          try await memory.move(source, to: destination.appending(name))
        }
      }
    },
    Flaw(
      "a file that is moved to below another is lost",
      breaks: "a move never replaces and needs a source and a folder to go to"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          guard let parent = destination.parent, memory.files[parent] != nil, memory.files[source] != nil
          else { return try await memory.move(source, to: destination) }
          try await memory.remove(source)
        }
      }
    },
    beyondPage("of a big folder, a page is moved") { memory, source, files in
      try await memory.makeDirectory(source)
      for (path, old, bytes) in files {
        try await memory.remove(path)
        try await memory.upload(bytes, to: old)
      }
    },
    beyondPage("of a big folder, a page is moved and the rest lost") { memory, _, files in
      for (path, _, _) in files { try await memory.remove(path) }
    },
    beyondPage("of a big folder, copies of all but a page stay behind") { memory, source, files in
      try await memory.makeDirectory(source)
      for (_, old, bytes) in files { try await memory.upload(bytes, to: old) }
    },
    beyondPage("of a big folder, all but a page arrives empty") { memory, _, files in
      for (path, _, _) in files { try await memory.upload([], to: path) }
    },
  ]

  /// Refuses some moves, though moving is declared.
  private static func refusing(
    _ description: String, _ isRefused: @escaping @Sendable (RemotePath, RemotePath) -> Bool
  ) -> Flaw {
    Flaw(description, breaks: declared) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          if !Task.isCancelled, source != .root, source != destination, isRefused(source, destination) {
            throw BackendError(.unsupported, path: source)
          }
          try await memory.move(source, to: destination)
        }
      }
    }
  }

  /// Fails to move, and says that it was with another entry.
  private static func misnaming(
    _ description: String, _ name: @escaping @Sendable (RemotePath, RemotePath) -> RemotePath
  ) -> Flaw {
    Flaw(description, breaks: "a move that fails names the entry that it failed for") { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          do throws(BackendError) { try await memory.move(source, to: destination) } catch {
            throw BackendError(error.code, path: name(source, destination))
          }
        }
      }
    }
  }

  /// Does something to all but the first thousand files of a folder that was moved.
  ///
  /// - Parameter end: called with what was moved, and the files: where each is, where it was, and its content.
  private static func beyondPage(
    _ description: String,
    _ end:
      @escaping @Sendable (
        MemoryBackend, RemotePath, [(path: RemotePath, old: RemotePath, bytes: [UInt8])]
      ) async throws -> Void
  ) -> Flaw {
    Flaw(description, breaks: bigMove) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let rest = memory.files(below: source).sorted { "\($0.key)" < "\($1.key)" }.dropFirst(1_000)
          try await memory.move(source, to: destination)
          guard !rest.isEmpty else { return }
          let moved = rest.map { file in
            (
              RemotePath(destination.names + file.key.names.dropFirst(source.names.count)), file.key,
              file.value
            )
          }
          do { try await end(memory, source, moved) } catch {
            throw BackendError(.failed, path: source, detail: "\(error)")
          }
        }
      }
    }
  }
}
