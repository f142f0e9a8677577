import BackendConformance
import SyncProtocol

extension Flaw {
  static let part =
    "a file that ends with a part, or a byte before or after its end, is the same wherever it comes from and goes"
  private static let tenMebibytes = 10 << 20

  static let parts = [
    storing("of a file of full parts of ten mebibytes, the last is lost", fromMemory: false, tenMebibytes) {
      isFull($0) ? $0.dropLast(tenMebibytes) : $0[...]
    },
    storing("a file of full parts of ten mebibytes gets another part", fromMemory: false, tenMebibytes) {
      isFull($0) ? $0 + [0] : $0[...]
    },
    storing("a file of two parts of ten mebibytes holds the first twice", fromMemory: false, tenMebibytes) {
      $0.count == 2 * tenMebibytes ? ($0.prefix(tenMebibytes) + $0.prefix(tenMebibytes))[...] : $0[...]
    },
    storing("what goes beyond a buffer by one byte loses that", fromMemory: false) {
      $0.count == 64 << 10 + 1 ? $0.dropLast() : $0[...]
    },
    storing("what is a byte short of a mebibyte is filled up", fromMemory: false) {
      $0.count == 1 << 20 - 1 ? $0 + [0] : $0[...]
    },
    storing("of two buffers that are written from memory, one comes", fromMemory: true) {
      $0.count == 128 << 10 ? $0.prefix(64 << 10) : $0[...]
    },
    Flaw("a size is told in full buffers, if there is more than one", breaks: part) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if entry.size == 1 << 20 + 1 { entry.size = 1 << 20 }
          return entry
        }
      }
    },
    Flaw("a limit is looked at before a buffer is read, and not after the last", breaks: part) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          let count = memory.files[path]?.count ?? 0
          let isLast = count > 64 << 10 && count - 1 <= limit && count % (64 << 10) == 0
          return try await memory.download(path, limit: isLast ? count : limit)
        }
      }
    },
  ]

  private static func isFull(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.count % tenMebibytes == 0
  }

  /// Stores something else than it is given.
  private static func storing(
    _ description: String, fromMemory: Bool, _ parts: Int...,
    as change: @escaping @Sendable ([UInt8]) -> ArraySlice<UInt8>
  ) -> Flaw {
    var flaw = Flaw(description, breaks: part) { memory in
      { client in
        if fromMemory {
          client.onUpload = { (bytes, path) async throws(BackendError) in
            try await memory.upload(Array(change(bytes)), to: path)
          }
          return
        }
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          try await memory.upload(file: file, to: path, progress: progress)
          guard let bytes = memory.files[path] else { return }
          let stored = change(bytes)
          if stored.count != bytes.count || bytes.count == 2 * tenMebibytes {
            try await memory.upload(Array(stored), to: path)
          }
        }
      }
    }
    flaw.parts = parts
    return flaw
  }
}
