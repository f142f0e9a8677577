import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  static let writing = [
    Flaw(
      "a page of the store holds a byte less than it should",
      breaks: "bytes come back as they were written, whatever their number"
    ) { memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          try await memory.upload(bytes.count == 4_096 ? Array(bytes.dropLast()) : bytes, to: path)
        }
      }
    },
    changingContent("what looks like gzip is unpacked on the way") { bytes in
      bytes.starts(with: [0x1f, 0x8b]) ? [0x61] : bytes
    },
    changingContent("a byte order mark is left out") { bytes in
      bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
    },
    changingContent("files are read as text, whose lines end in one character") { bytes in
      bytes.count < 100 ? bytes.filter { $0 != 0x0d } : bytes
    },
    changingContent("^Z ends a file") { bytes in
      bytes.last == 0x1a && bytes.count < 100 ? bytes.dropLast() : bytes
    },
    changingContent("NULs at the end are taken for padding") { bytes in
      bytes.count < 100 && bytes.suffix(2) == [0, 0] ? bytes.dropLast(2) : bytes
    },
    Flaw(
      "an empty upload is taken for none",
      breaks: "an upload replaces, whether the new content is longer, shorter or empty"
    ) { memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          if bytes.isEmpty, memory.files[path] != nil { return }
          try await memory.upload(bytes, to: path)
        }
      }
    },
    Flaw(
      "an upload makes the folder that it needs",
      breaks: "a file is not written into a folder that does not exist"
    ) { memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          if let parent = path.parent { try await memory.makeDirectory(parent) }
          try await memory.upload(bytes, to: path)
        }
      }
    },
    inStorage(
      "object storage asks for folders that it does not have",
      breaks: "where folders come with their files, a file makes the folders that it needs"
    ) {
      let memory = MemoryBackend(capabilities: MemoryBackend.standardCapabilities.union(.implicitFolders))
      var client = Variation(memory)
      client.onCreate = { (bytes, path) async throws(BackendError) in
        if let parent = path.parent, parent.names.count > 1, await memory.isAbsent(parent) {
          throw BackendError(.notFound, path: path)
        }
        try await memory.createIfAbsent(bytes, at: path)
      }
      let planted = client
      return storage(in: memory, connect: { planted })
    },
    Flaw("a client replaces what it created itself", breaks: "create-if-absent never replaces") { memory in
      { client in
        let created = Locked<Set<RemotePath>>([])
        client.onCreate = { (bytes, path) async throws(BackendError) in
          if created.withLock({ $0.contains(path) }) { return try await memory.upload(bytes, to: path) }
          try await memory.createIfAbsent(bytes, at: path)
          created.withLock { _ = $0.insert(path) }
        }
      }
    },
    Flaw("a folder's own folder must be there", breaks: "a folder is made together with those above it") {
      memory in
      { client in
        client.onMakeDirectory = { (path) async throws(BackendError) in
          if let parent = path.parent, parent != .root { _ = try await memory.stat(parent) }
          try await memory.makeDirectory(path)
        }
      }
    },
    Flaw("the root cannot be made again", breaks: "making a folder that exists changes nothing") { memory in
      { client in
        client.onMakeDirectory = { (path) async throws(BackendError) in
          guard path != .root else { throw BackendError(.alreadyExists, path: path) }
          try await memory.makeDirectory(path)
        }
      }
    },
    Flaw("a file passes for a folder that exists", breaks: "a folder is not made where a file lies") {
      memory in
      { client in
        client.onMakeDirectory = { (path) async throws(BackendError) in
          if memory.files[path] == nil { try await memory.makeDirectory(path) }
        }
      }
    },
    Flaw("an upload over a folder is dropped", breaks: "a file is not written where a folder lies") {
      memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          if path != .root, await memory.isFolder(path) { return }
          try await memory.upload(bytes, to: path)
        }
      }
    },
    Flaw("what follows a file's name is ignored", breaks: "nothing lies below a file") { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          if let parent = path.parent, memory.files[parent] != nil { return try await memory.stat(parent) }
          return try await memory.stat(path)
        }
      }
    },
    Flaw(
      "content that files have in common is replaced for all",
      breaks: "an upload replaces, whether the new content is longer, shorter or empty"
    ) { memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          let before = memory.files[path]
          try await memory.upload(bytes, to: path)
          for (other, content) in memory.files where content.count > 500 && content == before {
            try await memory.upload(bytes, to: other)
          }
        }
      }
    },
  ]

  /// Returns other bytes than were written, if they look like something.
  private static func changingContent(
    _ description: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> Flaw {
    Flaw(description, breaks: "bytes come back as they were written, whatever they look like") { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          change(try await memory.download(path, limit: limit))
        }
      }
    }
  }
}
