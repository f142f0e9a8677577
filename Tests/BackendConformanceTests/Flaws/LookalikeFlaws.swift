import BackendConformance
import Foundation
import SyncProtocol

extension Flaw {
  private static let temporary =
    "names that look like those of temporary files, placeholders and devices are names like others"
  private static let copies =
    "a name that looks like a conflict copy is listed or foreign, and never taken for its original"
  private static let apart = "names of classic remotes that differ in an escape or a sign are stored apart"

  static let lookalikes = [
    hiding("what ends like a temporary file is hidden", breaks: temporary) { $0.hasSuffix(".tmp") },
    hiding("what begins like a temporary file is hidden", breaks: temporary) { $0.hasPrefix("ticds-") },
    hiding("what begins like an upload is hidden", breaks: temporary) { $0.hasPrefix("upload-") },
    Flaw("placeholders are listed as the files that they stand for", breaks: temporary) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          for index in listing.entries.indices {
            let text = listing.entries[index].name.description
            if text.hasSuffix(".icloud"), let name = RemoteName(text.dropLast(7)) {
              listing.entries[index].name = name
            }
          }
          return listing
        }
      }
    },
    Flaw(
      "a folder is read as the page that lies in it",
      breaks: "a file with the name of a web page hides neither its folder nor what lies beside it"
    ) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          let page = RemoteName("index.html").map(path.appending)
          if let page, memory.files[page] != nil { throw BackendError(.unsupported, path: path) }
          return try await memory.list(path)
        }
      }
    },
    hiding("conflict copies are hidden", breaks: copies) { $0.contains("onflict") },
    Flaw("what has gone is read from its conflict copy", breaks: copies) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          do throws(BackendError) { return try await memory.download(path, limit: limit) } catch {
            let copy = memory.files.keys.first { file in
              file.parent == path.parent
                && "\(file)".hasPrefix("\(path)".replacing(".set", with: "") + ".Conflict")
            }
            guard error.code == .notFound, let copy, path.name?.description.hasSuffix(".set") == true else {
              throw error
            }
            return try await memory.download(copy, limit: limit)
          }
        }
      }
    },
    classic("a plus sign stands for a space", breaks: apart) { $0.replacing("+", with: " ") },
    classic("what follows a semicolon is cut off", breaks: apart) { String($0.prefix { $0 != ";" }) },
    inStorage(
      "names are looked up without regard to their form, and created with",
      breaks: "names of classic remotes that look alike are two files, or one everywhere"
    ) {
      let memory = MemoryBackend()
      return classicStorage(memory) { client in
        client.onStat = { (path) async throws(BackendError) in
          // Names of other scripts are looked up by bytes, and so is what is written already.
          let text = path.description.precomposedStringWithCompatibilityMapping
          let match = memory.files.keys.first {
            $0.parent == path.parent && $0.description.precomposedStringWithCompatibilityMapping == text
              && $0.description.contains("\u{FB01}")
          }
          return try await memory.stat(memory.files[path] == nil ? match ?? path : path)
        }
      }
    },
  ]

  private static func hiding(
    _ description: String, breaks law: String, _ isHidden: @escaping @Sendable (String) -> Bool
  ) -> Flaw {
    Flaw(description, breaks: law) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          listing.entries.removeAll { isHidden($0.name.description) }
          return listing
        }
      }
    }
  }

  /// Storage that takes some names of the classic system for others, but lists what is there.
  private static func classic(
    _ description: String, breaks law: String, _ change: @escaping @Sendable (String) -> String
  ) -> Flaw {
    inStorage(description, breaks: law) {
      let memory = MemoryBackend()
      @Sendable func same(_ path: RemotePath) -> RemotePath {
        guard memory.files[path] == nil else { return path }
        let text = change(path.description)
        return memory.files.keys.first { change($0.description) == text } ?? path
      }
      return classicStorage(memory) { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(same(path))
          if let name = path.name { entry.name = name }
          return entry
        }
        client.onDownload = { (path, limit) async throws(BackendError) in
          try await memory.download(same(path), limit: limit)
        }
        client.onCreate = { (bytes, path) async throws(BackendError) in
          try await memory.createIfAbsent(bytes, at: same(path))
        }
        client.onRemove = { (path) async throws(BackendError) in try await memory.remove(same(path)) }
      }
    }
  }

  private static func classicStorage(
    _ memory: MemoryBackend, _ change: @escaping @Sendable (inout Variation) -> Void
  ) -> ConformanceStorage {
    ConformanceStorage(
      connect: { memory }, absentRoot: { absentRoot() },
      addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) },
      connectToClassic: {
        var client = Variation(memory)
        change(&client)
        return client
      }, keepsContentInMemory: true)
  }
}
