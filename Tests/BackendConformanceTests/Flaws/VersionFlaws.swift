import BackendConformance
import Foundation
import Locking
import SyncProtocol

extension Flaw {
  private static let version = "a version is the same to whoever comes later, and another once the content is"

  /// Returns something else of files that are examined than of those that are listed.
  private static func telling(
    _ description: String,
    _ change: @escaping @Sendable (inout RemoteEntry, _ bytes: [UInt8], _ isListed: Bool) -> Void
  ) -> Flaw {
    Flaw(description, breaks: "a listing and an examination tell the same of a file") { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if let bytes = memory.files[path] { change(&entry, bytes, false) }
          return entry
        }
        client.onList = { (folder) async throws(BackendError) in
          var listing = try await memory.list(folder)
          for index in listing.entries.indices {
            guard let bytes = memory.files[folder.appending(listing.entries[index].name)] else { continue }
            change(&listing.entries[index], bytes, true)
          }
          return listing
        }
      }
    }
  }

  static let versions = [
    Flaw("a version is another to each client", breaks: version) { memory in
      let clients = Locked(0)
      return { client in
        let number = clients.withLock { count in
          count += 1
          return count
        }
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          entry.version = memory.files[path].map { "\(number)-\($0.hashValue)" }
          return entry
        }
      }
    },
    inStorage("versions are counted anew when the storage is opened again", breaks: version) {
      let memory = MemoryBackend()
      let versions = Locked((next: 0, ofContents: [Int: Int]()))
      var client = Variation(memory)
      client.onStat = { (path) async throws(BackendError) in
        var entry = try await memory.stat(path)
        guard let content = memory.files[path]?.hashValue else { return entry }
        entry.version = versions.withLock { versions in
          if versions.ofContents[content] == nil {
            versions.ofContents[content] = versions.next
            versions.next += 1
          }
          return versions.ofContents[content].map { "\($0)" }
        }
        return entry
      }
      let counting = client
      return ConformanceStorage(
        connect: { counting }, reopen: { versions.withLock { $0.next = 0 } }, absentRoot: { absentRoot() },
        addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) }, keepsContentInMemory: true)
    },
    Flaw("a date is that of the client's first look", breaks: "a date is the same to whoever comes later") {
      memory in
      let clients = Locked(0)
      let now = Duration.seconds(Int64(Date().timeIntervalSince1970))
      return { client in
        let number = clients.withLock { count in
          count += 1
          return count
        }
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if entry.kind == .file { entry.modified = now + .seconds(number) }
          return entry
        }
      }
    }.breaking(also: laterDate),
    Flaw("a date is that of the creation", breaks: laterDate) { memory in
      let created = Locked<[RemotePath: Duration]>([:])
      return { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          try await memory.upload(bytes, to: path)
          let now = Duration.seconds(Date().timeIntervalSince1970)
          created.withLock { $0[path] = $0[path] ?? now }
        }
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          entry.modified = created.withLock { $0[path] }
          return entry
        }
      }
    },
    Flaw(
      "a file keeps the date that it had on this device",
      breaks: "a file that is written from an old file of this device has the date of the writing"
    ) { memory in
      let dates = Locked<[RemotePath: Duration]>([:])
      @Sendable func note(_ path: RemotePath, _ file: String?) {
        let date =
          file.map { try? FileManager.default.attributesOfItem(atPath: $0)[.modificationDate] as? Date }
          ?? Date()
        dates.withLock { $0[path] = date.map { .seconds($0.timeIntervalSince1970) } }
      }
      return { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          try await memory.upload(bytes, to: path)
          note(path, nil)
        }
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          try await memory.upload(file: file, to: path, progress: progress)
          note(path, file)
        }
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if entry.kind == .file { entry.modified = dates.withLock { $0[path] } }
          return entry
        }
      }
    },
    telling("a date is examined ten seconds later than it is listed") { entry, _, isListed in
      entry.modified = .seconds(Int64(Date().timeIntervalSince1970) / 10_000 * 10_000 + (isListed ? 0 : 10))
    }.breaking(also: laterDate, "the date of a file is that of its last write"),
    telling("a version is examined in quotation marks and listed without") { entry, bytes, isListed in
      let version = "\(bytes.hashValue)"
      entry.version = isListed ? version : "\"\(version)\""
    },
  ]
}
