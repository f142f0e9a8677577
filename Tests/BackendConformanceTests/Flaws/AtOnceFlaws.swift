import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  private static let byItself =
    "what comes of a folder at once is what each file asked for is by itself, and nothing else"
  private static let anew = "what comes at once is what lies there then, whatever the client has read before"
  private static let written =
    "of a file that is being written, what was there before comes at once, or nothing"
  private static let replaced = "each of many files that come at once while others replace them is whole"

  private static let hundreds = "of hundreds of files that are asked for at once, each that comes is right"

  static let atOnce = [
    beyond(20, "come empty", { _ in [] }), beyond(256, "come empty", { _ in [] }),
    beyond(100, "lose their last byte") { $0.dropLast() },
    adding("what is absent comes at once as empty", breaks: byItself) { memory, path, _ in
      await memory.isAbsent(path) && path.description == "folder/absent" ? [] : nil
    },
    adding("folders come at once as empty files", breaks: byItself) { memory, path, _ in
      await memory.isFolder(path) ? [] : nil
    },
    adding("what is too large comes at once, cut at the limit", breaks: byItself) { memory, path, limit in
      memory.files[path].map { Array($0.prefix(limit)) }
    },
    adding("one byte more than the limit comes at once", breaks: byItself) { memory, path, limit in
      memory.files[path].flatMap { $0.count - 1 <= limit ? $0 : nil }
    },
    adding("a limit of nothing is none for what comes at once", breaks: byItself) { memory, path, limit in
      limit == 0 ? memory.files[path] : nil
    },
    adding("an underscore stands for anything in what is asked for at once", breaks: byItself) {
      memory, path, _ in
      memory.files.first { path.matchesAsPattern($0.key) && $0.key != path }?.value
    },
    adding("what comes at once is found without regard to case", breaks: byItself) { memory, path, _ in
      memory.files.first { "\($0.key)".lowercased() == "\(path)".lowercased() }?.value
    },
    adding("what is absent comes at once from a folder that has it", breaks: byItself) { memory, path, _ in
      memory.files.first { isNamesake($0.key, path) }?.value
    },
    Flaw("all of a folder comes at once, whatever is asked for", breaks: byItself) { memory in
      { client in
        client.onDownloadAtOnce = { _, folder, limit in
          guard let entries = try? await memory.list(folder).entries else { return [:] }
          return await memory.downloadAtOnce(entries.map(\.name), in: folder, limit: limit)
        }
      }
    },
    Flaw("what is missing among what is asked for at once moves all others up", breaks: byItself) { memory in
      { client in
        client.onDownloadAtOnce = { names, folder, limit in
          let found = await memory.downloadAtOnce(names, in: folder, limit: limit)
          let contents = names.compactMap { found[$0] }
          return Dictionary(zip(names, contents)) { first, _ in first }
        }
      }
    },
    Flaw("what comes at once to a cancelled task is cut", breaks: byItself) { memory in
      { client in
        client.onDownloadAtOnce = { names, folder, limit in
          guard Task.isCancelled else {
            return await memory.downloadAtOnce(names, in: folder, limit: limit)
          }
          return Dictionary(names.map { ($0, [1]) }) { first, _ in first }
        }
      }
    },
    Flaw("each client keeps what came at once", breaks: anew) { memory in
      { client in
        let kept = Locked<[RemotePath: [RemoteName: [UInt8]]]>([:])
        client.onDownloadAtOnce = { names, folder, limit in
          let found = await memory.downloadAtOnce(names, in: folder, limit: limit)
          // Only what is small, so that no other law notices.
          let isSmall = found.values.allSatisfy { $0.count < 3 } && found.count > 2
          return kept.withLock { kept in
            if isSmall, kept[folder] == nil { kept[folder] = found }
            return kept[folder] ?? found
          }
        }
      }
    },
    Flaw("what is being written comes at once as far as it has come", breaks: written) { memory in
      let underWay = Locked<[RemotePath: [UInt8]]>([:])
      return { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          defer { underWay.withLock { $0[path] = nil } }
          try await memory.upload(file: file, to: path) { bytes in
            underWay.withLock { $0[path] = [UInt8](repeating: 0, count: Int(bytes)) }
            progress(bytes)
          }
        }
        client.onDownloadAtOnce = { names, folder, limit in
          var found = await memory.downloadAtOnce(names, in: folder, limit: limit)
          for name in names {
            if let bytes = underWay.withLock({ $0[folder.appending(name)] }) { found[name] = bytes }
          }
          return found
        }
      }
    },
    Flaw("each half of what comes at once is of what the name holds then", breaks: replaced) { memory in
      { client in
        client.onDownloadAtOnce = { names, folder, limit in
          let before = await memory.downloadAtOnce(names, in: folder, limit: limit)
          await pause()
          var found = await memory.downloadAtOnce(names, in: folder, limit: limit)
          for (name, bytes) in found {
            guard let start = before[name], start.count != bytes.count, bytes.count >= 10_000 else {
              continue
            }
            found[name] = Array(start.prefix(5_000) + bytes.dropFirst(5_000).dropLast())
          }
          return found
        }
      }
    },
  ]

  /// Spoils what comes of names that stand far behind.
  private static func beyond(
    _ count: Int, _ what: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> Flaw {
    Flaw("files beyond number \(count) that are asked for at once \(what)", breaks: hundreds) { memory in
      { client in
        client.onDownloadAtOnce = { names, folder, limit in
          var found = await memory.downloadAtOnce(names, in: folder, limit: limit)
          for name in names.dropFirst(count) { found[name] = found[name].map(change) }
          return found
        }
      }
    }
  }

  /// Whether a file has the name that was asked for in a folder called “folder”, and lies in another.
  private static func isNamesake(_ file: RemotePath, _ asked: RemotePath) -> Bool {
    file.name == asked.name && file.parent != asked.parent && asked.description == "folder/absent"
  }

  /// Has more come at once than should.
  ///
  /// - Parameter more: what comes of a file in place of what should; `nil` for that.
  private static func adding(
    _ description: String, breaks law: String,
    _ more: @escaping @Sendable (MemoryBackend, RemotePath, Int) async -> [UInt8]?
  ) -> Flaw {
    Flaw(description, breaks: law) { memory in
      { client in
        client.onDownloadAtOnce = { names, folder, limit in
          var found = await memory.downloadAtOnce(names, in: folder, limit: limit)
          for name in names where found[name] == nil {
            if let bytes = await more(memory, folder.appending(name), limit) { found[name] = bytes }
          }
          return found
        }
      }
    }
  }
}
