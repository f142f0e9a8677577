import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  private static let anySize = "files of any size go from and to files of this device"
  private static let alike = "two files of one size that begin alike are two"
  private static let empty = "an empty file takes its name: nothing is created or moved there"
  private static let version = "a version that is told differs whenever the content does"

  static let content = [
    Flaw("a last part of less than 64 KiB is lost", breaks: anySize) { memory in
      storingFiles(memory) { bytes in
        let part = 8 << 20
        let rest = bytes.count % part
        return bytes.count > part && rest < 65_536 ? Array(bytes.dropLast(rest)) : bytes
      }
    },
    Flaw("the second of two full parts is lost", breaks: anySize) { memory in
      storingFiles(memory) { $0.count == 16 << 20 ? Array($0.prefix(8 << 20)) : $0 }
    },
    Flaw(
      "pieces go by number, and those that are not replaced stay",
      breaks: "a file of mebibytes that is replaced by a shorter one keeps nothing of its end"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let before = memory.files[path]
          try await memory.upload(file: file, to: path, progress: progress)
          guard let before, let after = memory.files[path], after.count > 1 << 20 else { return }
          let piece = 1 << 20
          let end = (after.count + piece - 1) / piece * piece
          if before.count > end { try await memory.upload(after + before[end...], to: path) }
        }
      }
    },
    Flaw("content goes by its size and first 64 KiB", breaks: alike) { memory in
      { client in
        client.onUpload = { (bytes, path) async throws(BackendError) in
          let known = memory.files.values.first { other in
            other.count == bytes.count && bytes.count > 65_536
              && other.prefix(65_536).elementsEqual(bytes.prefix(65_536))
          }
          try await memory.upload(known ?? bytes, to: path)
        }
      }
    },
    Flaw("a file without content counts as absent to who creates", breaks: empty) { memory in
      { client in
        client.onCreate = { (bytes, path) async throws(BackendError) in
          if memory.files[path] == [] { return try await memory.upload(bytes, to: path) }
          try await memory.createIfAbsent(bytes, at: path)
        }
      }
    },
    Flaw("a file without content counts as absent to who moves", breaks: empty) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          if source != destination, memory.files[source] != nil, memory.files[destination] == [] {
            try await memory.remove(destination)
          }
          try await memory.move(source, to: destination)
        }
      }
    },
    Flaw("the version is a checksum of the beginning", breaks: version) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          entry.version = memory.files[path].map { "\($0.count)-\($0.prefix(10))" }
          return entry
        }
      }
    },
    Flaw("versions are counted from one again after a removal", breaks: version) { memory in
      countingVersions(memory, forgetsRemoved: true, ofLocalFiles: true)
    },
    Flaw("a file of this device gives no new version", breaks: version) { memory in
      countingVersions(memory, forgetsRemoved: false, ofLocalFiles: false)
    },
  ]

  /// Stores something else than the content of files of this device.
  private static func storingFiles(
    _ memory: MemoryBackend, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> @Sendable (inout Variation) -> Void {
    { client in
      client.onUploadFile = { (file, path, progress) async throws(BackendError) in
        try await memory.upload(file: file, to: path, progress: progress)
        guard let bytes = memory.files[path], bytes.count > 8 << 20 else { return }
        try await memory.upload(change(bytes), to: path)
      }
    }
  }

  /// Numbers what a name held.
  private static func countingVersions(
    _ memory: MemoryBackend, forgetsRemoved: Bool, ofLocalFiles: Bool
  ) -> @Sendable (inout Variation) -> Void {
    let versions = Locked<[RemotePath: Int]>([:])
    let count: @Sendable (RemotePath) -> Void = { path in
      versions.withLock { $0[path, default: 0] += 1 }
    }
    return { client in
      client.onUpload = { (bytes, path) async throws(BackendError) in
        try await memory.upload(bytes, to: path)
        count(path)
      }
      client.onCreate = { (bytes, path) async throws(BackendError) in
        try await memory.createIfAbsent(bytes, at: path)
        count(path)
      }
      client.onUploadFile = { (file, path, progress) async throws(BackendError) in
        try await memory.upload(file: file, to: path, progress: progress)
        if ofLocalFiles { count(path) }
      }
      client.onCreateFile = { (file, path, progress) async throws(BackendError) in
        try await memory.createIfAbsent(file: file, at: path, progress: progress)
        if ofLocalFiles { count(path) }
      }
      client.onRemove = { (path) async throws(BackendError) in
        try await memory.remove(path)
        if forgetsRemoved { versions.withLock { $0[path] = nil } }
      }
      client.onStat = { (path) async throws(BackendError) in
        var entry = try await memory.stat(path)
        if entry.kind == .file { entry.version = "\(versions.withLock { $0[path] } ?? 0)" }
        return entry
      }
    }
  }
}
