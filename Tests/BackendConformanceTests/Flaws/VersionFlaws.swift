import BackendConformance
import Foundation
import Locking
import SyncProtocol

extension Flaw {
  private static let version = "a version is the same to whoever comes later, and another once the content is"

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
        addForeign: { memory.addForeign($0, to: $1) }, keepsContentInMemory: true)
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
    },
  ]
}
