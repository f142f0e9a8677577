import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  private static let lasting =
    "a listing shows what lies there all the while, once each, whatever others remove and add meanwhile"
  private static let removedFolder =
    "a file whose folder is removed while it is written is there, or its writer is told that it is not"
  private static let race =
    "of many clients that move to one free name at once, exactly one succeeds where that is promised"

  static let meeting = [
    Flaw("a move looks for the name, and takes it a little later", breaks: race) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let isFree = await memory.isAbsent(destination)
          guard isFree, let bytes = memory.files[source] else {
            return try await memory.move(source, to: destination)
          }
          await pause()
          try await memory.upload(bytes, to: destination)
          // Of the same file, somebody else may have been quicker.
          try? await memory.remove(source)
        }
      }
    }.breaking(also: mixed),
    Flaw("whoever moves too late is told nothing of it", breaks: race) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let isFree = await memory.isAbsent(destination)
          await pause()
          do throws(BackendError) { try await memory.move(source, to: destination) } catch {
            guard isFree, error.code == .alreadyExists else { throw error }
          }
        }
      }
    }.breaking(also: mixed),
    Flaw("whoever moves a folder too late is told that it is missing", breaks: race) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let isFree = await memory.isAbsent(destination)
          await pause()
          do throws(BackendError) { try await memory.move(source, to: destination) } catch {
            guard isFree, error.code == .alreadyExists, await memory.isFolder(source) else { throw error }
            throw BackendError(.notFound, path: source)
          }
        }
      }
    },
    Flaw(
      "a file that is moved goes before it comes, and the name may be taken by then",
      breaks: "whoever fails to move to a name that another took still has what was to be moved"
    ) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          let isFree = await memory.isAbsent(destination)
          guard isFree, let bytes = memory.files[source], !Task.isCancelled else {
            return try await memory.move(source, to: destination)
          }
          let holder = destination.parent ?? .root
          guard await memory.isFolder(holder) else { return try await memory.move(source, to: destination) }
          try await memory.remove(source)
          await pause()
          try await memory.createIfAbsent(bytes, at: destination)
        }
      }
    }.breaking(also: mixed),
    Flaw("a listing is put together from pages that begin at a number", breaks: lasting) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var whole = RemoteListing()
          while true {
            let now = try await memory.list(path)
            whole.foreign = now.foreign
            let page = now.entries.sorted { $0.name < $1.name }.dropFirst(whole.entries.count).prefix(8)
            whole.entries += page
            if page.count < 8 { return whole }
            await pause()
          }
        }
      }
    },
    Flaw("a name that goes before its turn ends the listing", breaks: lasting) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var whole = RemoteListing()
          let before = try await memory.list(path)
          whole.foreign = before.foreign
          if before.entries.count > 8 { await pause() }
          for entry in before.entries.sorted(by: { $0.name < $1.name }) {
            do throws(BackendError) {
              whole.entries.append(try await memory.stat(path.appending(entry.name)))
            } catch {
              guard error.code == .notFound else { throw error }
              return whole
            }
          }
          return whole
        }
      }
    },
    Flaw("an upload does not notice that its folder has gone", breaks: removedFolder) { memory in
      amid(memory) { (path, _, _) async throws(BackendError) in }
    },
    Flaw("an upload brings its folder back and fails", breaks: removedFolder) { memory in
      amid(memory) { (path, _, error) async throws(BackendError) in
        try await memory.makeDirectory(path.parent ?? .root)
        throw error
      }
    },
    Flaw("an upload brings its folder back with all that was in it", breaks: removedFolder) { memory in
      amid(memory) { (path, before, _) async throws(BackendError) in
        try await memory.makeDirectory(path.parent ?? .root)
        for (file, bytes) in before { try await memory.upload(bytes, to: file) }
        try await memory.upload([UInt8](repeating: 0, count: 4 << 20), to: path)
      }
    },
    Flaw("an upload whose folder has gone fails for no reason", breaks: removedFolder) { memory in
      amid(memory) { (path, _, _) async throws(BackendError) in throw BackendError(.failed, path: path) }
    },
  ]

  /// Does something in place of failing, where a folder was there before a transfer into it and is not afterwards.
  ///
  /// - Parameter end: called with the file, what lay in its folder before, and the failure.
  private static func amid(
    _ memory: MemoryBackend,
    _ end:
      @escaping @Sendable (RemotePath, [RemotePath: [UInt8]], BackendError) async throws(BackendError) -> Void
  ) -> @Sendable (inout Variation) -> Void {
    { client in
      client.onUploadFile = { (file, path, progress) async throws(BackendError) in
        let folder = path.parent ?? .root
        let (wasThere, before) = (await memory.isFolder(folder), memory.files(below: folder))
        do throws(BackendError) { try await memory.upload(file: file, to: path, progress: progress) } catch {
          guard wasThere, error.code == .notFound else { throw error }
          try await end(path, before, error)
        }
      }
    }
  }
}
