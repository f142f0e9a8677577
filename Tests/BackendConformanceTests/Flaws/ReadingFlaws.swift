import BackendConformance
import Foundation
import Locking
import SyncProtocol

extension Flaw {
  static let reading = [
    Flaw("new storage has a folder of its own in the root", breaks: "the root is there and empty") { memory in
      let wasUsed = Locked(false)
      return { client in
        client.beforeWriting { wasUsed.withLock { $0 = true } }
        let download = client.onDownloadFile
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          wasUsed.withLock { $0 = true }
          try await download(path, file, progress)
        }
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          if let name = RemoteName("lost-found"), path == .root, wasUsed.withLock({ !$0 }) {
            listing.entries.append(RemoteEntry(name: name, kind: .folder))
          }
          return listing
        }
      }
    },
    Flaw("absent folders look empty", breaks: "a folder that does not exist is absent, not empty") { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          do throws(BackendError) { return try await memory.list(path) } catch {
            let isBelowFile = memory.files.keys.contains { path.names.starts(with: $0.names) }
            guard error.code == .notFound, !isBelowFile else { throw error }
            return RemoteListing()
          }
        }
      }
    },
    Flaw(
      "folders vanish when they are empty", breaks: "a folder without entries is empty, not absent"
    ) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          let listing = try await memory.list(path)
          guard path == .root || listing != RemoteListing() else { throw BackendError(.notFound, path: path) }
          return listing
        }
      }
    },
    Flaw("files look like empty folders", breaks: "a file cannot be listed") { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          memory.files[path] == nil ? try await memory.list(path) : RemoteListing()
        }
      }
    },
    Flaw(
      "absent files read as empty", breaks: "a file that does not exist cannot be read or examined"
    ) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          if path.description == "absent", memory.files[path] == nil { return [] }
          return try await memory.download(path, limit: limit)
        }
      }
    },
    Flaw("folders read as empty files", breaks: "a folder cannot be downloaded") { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          await memory.isFolder(path) ? [] : try await memory.download(path, limit: limit)
        }
      }
    },
    Flaw(
      "sizes include the line end of a header",
      breaks: "entries are listed and examined with their kind and size"
    ) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if let size = entry.size, size < 1_000 { entry.size = size + 1 }
          return entry
        }
      }
    },
    Flaw("empty files are not listed", breaks: "entries are listed and examined with their kind and size") {
      memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          listing.entries.removeAll { $0.size == 0 }
          return listing
        }
      }
    },
    Flaw("folders have a size", breaks: "entries are listed and examined with their kind and size") {
      memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if entry.kind == .folder { entry.size = 4_096 }
          return entry
        }
      }
    },
    Flaw("folders have a version", breaks: "entries are listed and examined with their kind and size") {
      memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if entry.kind == .folder { entry.version = "1" }
          return entry
        }
      }
    },
    Flaw(
      "names are told in small letters", breaks: "entries are listed and examined with their kind and size"
    ) {
      memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if let name = RemoteName(entry.name.description.lowercased()) { entry.name = name }
          return entry
        }
      }
    },
    Flaw("dates count from 2001", breaks: "the date of a file is that of its last write") { memory in
      dating { $0 - .seconds(978_307_200) }(memory)
    }.breaking(also: laterDate),
    Flaw("dates are in local time", breaks: "the date of a file is that of its last write") { memory in
      dating { $0 + .seconds(3_600) }(memory)
    }.breaking(also: laterDate),
    Flaw(
      "the greatest limit is one too many",
      breaks: "a file larger than the limit is refused, one of exactly the limit is read"
    ) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          guard limit < .max else { throw BackendError(.tooLarge, path: path) }
          return try await memory.download(path, limit: limit)
        }
        client.onDownloadAtOnce = { names, folder, limit in
          limit == .max ? [:] : await memory.downloadAtOnce(names, in: folder, limit: limit)
        }
      }
    },
    Flaw(
      "a limit of nothing is no limit",
      breaks: "a file larger than the limit is refused, one of exactly the limit is read"
    ) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          try await memory.download(path, limit: limit == 0 ? .max : limit)
        }
      }
    },
    Flaw(
      "long files are cut at the limit",
      breaks: "a file larger than the limit is refused, one of exactly the limit is read"
    ) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          Array(try await memory.download(path, limit: .max).prefix(limit))
        }
      }
    },
    naming("errors name the root") { _ in .root },
    naming("errors name the folder") { $0.parent ?? $0 },
    Flaw(
      "the version is the size", breaks: "a version that is told differs whenever the content does"
    ) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          entry.version = entry.size.map { "\($0)" }
          return entry
        }
      }
    },
    Flaw("a folder is found by what its name begins with", breaks: absent) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          // Of names of one letter nothing is said.
          guard let name = path.name, name.description.count > 2, await memory.isAbsent(path),
            memory.folders.contains(where: { $0.hasPrefix(path.description) })
          else { return try await memory.stat(path) }
          return RemoteEntry(name: name, kind: .folder)
        }
      }
    },
    Flaw("a name is taken that a folder's name begins with", breaks: absent) { memory in
      { client in
        client.onCreate = { (bytes, path) async throws(BackendError) in
          guard !memory.folders.contains(where: { $0.hasPrefix(path.description) }) || path == .root else {
            throw BackendError(.alreadyExists, path: path)
          }
          try await memory.createIfAbsent(bytes, at: path)
        }
      }
    },
    Flaw(
      "a listing tells the size that a file had first",
      breaks: "entries are listed and examined with their kind and size"
    ) { memory in
      let sizes = Locked<[RemotePath: Int64]>([:])
      return listing { path, entry in
        entry.size = sizes.withLock { sizes in
          if sizes[path] == nil { sizes[path] = entry.size }
          return sizes[path]
        }
      }(memory)
    }.breaking(
      also: "the sizes of large files are told as they are",
      "a file is the same in memory and in a file of this device, however it was written"),
    Flaw("a listing tells dates in milliseconds", breaks: "the date of a file is that of its last write") {
      memory in
      let now = Date()
      return listing { _, entry in
        entry.modified = .milliseconds(Int64(now.timeIntervalSince1970) * 1_000_000)
      }(memory)
    }.breaking(also: laterDate),
    Flaw(
      "a listing tells one version of all that a file held",
      breaks: "a version that is told differs whenever the content does"
    ) { memory in
      { client in
        listing { _, entry in entry.version = "1" }(memory)(&client)
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          entry.version = memory.files[path].map { "\($0.prefix(10))" }
          return entry
        }
      }
    }.breaking(also: "a listing and an examination tell the same of a file"),
  ]

  static let laterDate = "a file that is written again has a later date"
  private static let absent = "a file that does not exist cannot be read or examined"

  /// Lists files otherwise than they are examined.
  private static func listing(
    _ change: @escaping @Sendable (RemotePath, inout RemoteEntry) -> Void
  ) -> @Sendable (MemoryBackend) -> @Sendable (inout Variation) -> Void {
    { memory in
      { client in
        client.onList = { (folder) async throws(BackendError) in
          var listing = try await memory.list(folder)
          for index in listing.entries.indices where listing.entries[index].kind == .file {
            change(folder.appending(listing.entries[index].name), &listing.entries[index])
          }
          return listing
        }
      }
    }
  }

  /// Returns a wrong date of the last change.
  private static func dating(
    _ change: @escaping @Sendable (Duration) -> Duration
  ) -> @Sendable (MemoryBackend) -> @Sendable (inout Variation) -> Void {
    { memory in
      // The same to whoever asks.
      let now = Duration.seconds(Int64(Date().timeIntervalSince1970))
      return { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if entry.kind == .file { entry.modified = change(now) }
          return entry
        }
      }
    }
  }

  /// Fails, and says that it was with another entry.
  private static func naming(
    _ description: String, _ other: @escaping @Sendable (RemotePath) -> RemotePath
  ) -> Flaw {
    Flaw(description, breaks: "a failure names the entry that it happened to") { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          do throws(BackendError) { return try await memory.download(path, limit: limit) } catch {
            throw BackendError(error.code, path: other(path))
          }
        }
      }
    }
  }
}
