import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  private static let smallFile =
    "a small file that is listed while others write is complete where replacing is atomic"

  private static let created =
    "of many clients that create one name at once, exactly one succeeds where that is promised"
  static let mixed =
    "of clients that create a name and clients that move to it, exactly one succeeds where that is promised"

  static let concurrency = [
    Flaw(
      "a name is looked for, and taken a little later",
      breaks: "of many clients that create one name at once, exactly one succeeds where that is promised"
    ) { memory in
      { client in
        client.onCreate = { (bytes, path) async throws(BackendError) in
          guard await memory.isAbsent(path) else {
            return try await memory.createIfAbsent(bytes, at: path)
          }
          await pause()
          try await memory.upload(bytes, to: path)
        }
      }
    }.breaking(also: mixed),
    Flaw("a name is looked for, and taken at the next turn", breaks: created) { memory in
      { client in
        client.onCreate = { (bytes, path) async throws(BackendError) in
          guard await memory.isAbsent(path) else { return try await memory.createIfAbsent(bytes, at: path) }
          await Task.yield()
          try await memory.upload(bytes, to: path)
        }
      }
    }.breaking(also: mixed),
    Flaw("a name is looked for when a file has come, and taken at the next turn", breaks: created) { memory in
      { client in
        client.onCreateFile = { (file, path, progress) async throws(BackendError) in
          let bytes = try content(of: file)
          guard bytes.count == 1_000, await memory.isAbsent(path) else {
            return try await memory.createIfAbsent(file: file, at: path, progress: progress)
          }
          await Task.yield()
          try await memory.upload(bytes, to: path)
        }
      }
    },
    Flaw("whoever creates a name does not see who moves to it meanwhile", breaks: mixed) { memory in
      let moved = Locked<Set<RemotePath>>([])
      return { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          try await memory.move(source, to: destination)
          moved.withLock { _ = $0.insert(destination) }
        }
        client.onCreate = { (bytes, path) async throws(BackendError) in
          let isFree = await memory.isAbsent(path)
          await Task.yield()
          do throws(BackendError) { try await memory.createIfAbsent(bytes, at: path) } catch {
            guard isFree, moved.withLock({ $0.contains(path) }) else { throw error }
            try await memory.upload(bytes, to: path)
          }
        }
      }
    },
    Flaw(
      "small files are replaced in place",
      breaks: smallFile
    ) { memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          if memory.files[path] != nil, bytes.count > 1_000 {
            try await memory.upload(Array(bytes.prefix(bytes.count / 2)), to: path)
            await pause()
          }
          try await memory.upload(bytes, to: path)
        }
      }
    },
    Flaw(
      "those who write one file at once write into one another",
      breaks: "of several that replace one file at once, the whole content of one stays"
    ) { memory in
      let writers = Locked<[RemotePath: Int]>([:])
      return { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          let isFirst = writers.withLock { writers in
            writers[path, default: 0] += 1
            return writers[path] == 1
          }
          await pause()
          defer { writers.withLock { $0[path, default: 0] -= 1 } }
          let isAlone = writers.withLock { $0[path] == 1 }
          try await memory.upload(isFirst && isAlone ? bytes : bytes + [0], to: path)
        }
      }
    },
    Flaw("a client has one buffer for all uploads", breaks: "many tasks write different files at once") {
      memory in
      { client in
        let buffer = Locked<[UInt8]>([])
        client.onUpload = { (bytes, path) async throws(BackendError) in
          buffer.withLock { $0 = bytes }
          await pause()
          try await memory.upload(buffer.withLock { $0 }, to: path)
        }
      }
    },
    Flaw(
      "whoever finds the folder missing looks for the reason, and finds it there",
      breaks: "a write that meets the making of its folder finds it missing, or is done"
    ) { memory in
      let missed = Locked<Set<RemotePath>>([])
      return { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          do throws(BackendError) {
            try await memory.upload(bytes, to: path)
          } catch {
            guard error.code == .notFound, let folder = path.parent else { throw error }
            // Those who come after the first find out when he has made it.
            guard missed.withLock({ !$0.insert(folder).inserted }) else { throw error }
            for _ in 0..<20 where await memory.isAbsent(folder) { await pause() }
            throw await memory.isFolder(folder) ? BackendError(.failed, path: path) : error
          }
        }
      }
    },
    Flaw(
      "a folder that somebody else is making fails", breaks: "several clients make the same folders at once"
    ) { memory in
      let makers = Locked<[RemotePath: Int]>([:])
      return { client in
        client.onMakeDirectory = { (path) async throws(BackendError) in
          let isFirst = makers.withLock { makers in
            makers[path, default: 0] += 1
            return makers[path] == 1
          }
          defer { makers.withLock { $0[path, default: 0] -= 1 } }
          await pause()
          guard isFirst else { throw BackendError(.alreadyExists, path: path) }
          try await memory.makeDirectory(path)
        }
      }
    },
    Flaw("a listing is not cancelled", breaks: "a cancelled task writes nothing and says so") { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          guard Task.isCancelled else { return try await memory.list(path) }
          return RemoteListing()
        }
      }
    },
    Flaw("a removal is not cancelled", breaks: "a cancelled task writes nothing and says so") { memory in
      { client in
        client.onRemove = { (path) async throws(BackendError) in
          guard Task.isCancelled else { return try await memory.remove(path) }
          await uncancelled { try await memory.remove(path) }
        }
      }
    },
    Flaw(
      "a cancelled upload leaves its first half",
      breaks: "an upload that is cancelled in the middle takes effect whole, or not at all"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          do throws(BackendError) { try await memory.upload(file: file, to: path, progress: progress) } catch
          {
            if error.code == .cancelled, memory.files[path] == nil, let half = try half(of: file) {
              await uncancelled { try await memory.upload(half, to: path) }
            }
            throw error
          }
        }
      }
    },
    Flaw(
      "a cancelled upload says that it is done",
      breaks: "an upload that is cancelled in the middle takes effect whole, or not at all"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          do throws(BackendError) { try await memory.upload(file: file, to: path, progress: progress) } catch
          {
            guard error.code == .cancelled else { throw error }
          }
        }
      }
    },
    Flaw(
      "a cancelled replacement leaves its first half",
      breaks: "a replacement that is cancelled in the middle leaves the old or the new content"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          do throws(BackendError) { try await memory.upload(file: file, to: path, progress: progress) } catch
          {
            if error.code == .cancelled, memory.files[path] != nil, let half = try half(of: file) {
              await uncancelled { try await memory.upload(half, to: path) }
            }
            throw error
          }
        }
      }
    },
    Flaw(
      "a cancelled download leaves its first half",
      breaks:
        "a download that is cancelled in the middle leaves the local file as it was, or is whole"
    ) { memory in
      { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          do throws(BackendError) { try await memory.download(path, toFile: file, progress: progress) } catch
          {
            if error.code == .cancelled { write([1], to: file) }
            throw error
          }
        }
      }
    },
    Flaw("the old content goes before the new one is there", breaks: smallFile) { memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          if memory.files[path] != nil, bytes.count >= 10_000 {
            try? await memory.remove(path)
            await pause()
          }
          try await memory.upload(bytes, to: path)
        }
      }
    },
    Flaw("the old content goes before that of a file is there", breaks: smallFile) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let size = try content(of: file).count
          if memory.files[path] != nil, (10_000...400_000).contains(size) {
            try? await memory.remove(path)
            await Task.yield()
          }
          try await memory.upload(file: file, to: path, progress: progress)
        }
      }
    },
    Flaw("listings are empty while the index is written", breaks: smallFile) { memory in
      let writers = Locked(0)
      return { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          // Of the small ones, another law would notice now and then.
          guard bytes.count >= 10_000 else { return try await memory.upload(bytes, to: path) }
          writers.withLock { $0 += 1 }
          defer { writers.withLock { $0 -= 1 } }
          await pause()
          try await memory.upload(bytes, to: path)
        }
        client.onList = { (path) async throws(BackendError) in
          let listing = try await memory.list(path)
          return writers.withLock { $0 > 0 } ? RemoteListing() : listing
        }
      }
    },
    Flaw(
      "a cancelled creation leaves its first half",
      breaks: "an upload that is cancelled in the middle takes effect whole, or not at all"
    ) { memory in
      { client in
        client.onCreateFile = { (file, path, progress) async throws(BackendError) in
          do throws(BackendError) {
            try await memory.createIfAbsent(file: file, at: path, progress: progress)
          } catch {
            if error.code == .cancelled, let half = try half(of: file) {
              await uncancelled { try await memory.upload(half, to: path) }
            }
            throw error
          }
        }
      }
    },
    Flaw(
      "a transfer that is cancelled takes along all others of the client",
      breaks: "a transfer that is cancelled leaves another of the same client alone"
    ) { memory in
      { client in
        let cancellations = Locked(0)
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let before = cancellations.withLock { $0 }
          do throws(BackendError) { try await memory.upload(file: file, to: path, progress: progress) } catch
          {
            if error.code == .cancelled { cancellations.withLock { $0 += 1 } }
            throw error
          }
          guard cancellations.withLock({ $0 == before }) else { throw BackendError(.cancelled, path: path) }
        }
      }
    },
  ]
}
