import BackendConformance
import Foundation
import Locking
import SyncProtocol

extension Flaw {
  private static let same =
    "a file is the same in memory and in a file of this device, however it was written"
  private static let sizes = "the sizes of large files are told as they are"
  private static let reports =
    "progress never tells more than there is, and tells the whole in the end, of any size"
  private static let toTheEnd = "a transfer that is cancelled before its half does not go on to its end"
  private static let piece = 1 << 20

  static let device = [
    reading("of a file in pieces, the first is read into memory") { $0.prefix(piece) },
    reading("the second piece of a file is left out when it is read into memory") {
      $0.prefix(piece) + $0.dropFirst(2 * piece)
    },
    reading("a range that is read into memory begins a byte late") {
      $0.prefix(piece) + $0.dropFirst(piece + 1)
    },
    Flaw("what is created from a file is told with the size of its whole pieces", breaks: same) { memory in
      let created = Locked<Set<RemotePath>>([])
      return { client in
        client.onCreateFile = { (file, path, progress) async throws(BackendError) in
          try await memory.createIfAbsent(file: file, at: path, progress: progress)
          created.withLock { _ = $0.insert(path) }
        }
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          if let size = entry.size, size > piece, created.withLock({ $0.contains(path) }) {
            entry.size = size - size % Int64(piece)
          }
          return entry
        }
      }
    },
    sizing("sizes are kept in sixteen bits") { $0 & 0xffff },
    Flaw(
      "a download goes through a file with another ending",
      breaks: "a download touches no other file of this device"
    ) { memory in
      { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          let temporary = "\(file).part"
          if FileManager.default.fileExists(atPath: temporary) { write([], to: temporary) }
          try await memory.download(path, toFile: file, progress: progress)
        }
      }
    },
    reporting("what is sent beside the content counts as progress") { bytes, _, progress in
      if bytes > 0, bytes < piece { progress(bytes + 200) }
      progress(bytes)
    },
    reporting("the last piece is reported if it is full") { bytes, _, progress in
      if bytes.isMultiple(of: Int64(piece)) { progress(bytes) }
    },
    Flaw("what is read goes on when it is cancelled", breaks: toTheEnd) { memory in
      { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          try await Task { try await memory.download(path, toFile: file, progress: progress) }.finished(path)
        }
      }
    },
    Flaw("what is written goes on when it is cancelled", breaks: toTheEnd) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          try await Task { try await memory.upload(file: file, to: path, progress: progress) }.finished(path)
        }
      }
    },
    Flaw("whether it is cancelled is looked at when all has been sent", breaks: toTheEnd) { memory in
      { client in
        client.onCreateFile = { (file, path, progress) async throws(BackendError) in
          let bytes = try content(of: file)
          for end in stride(from: 0, to: bytes.count, by: piece) { progress(Int64(end)) }
          progress(Int64(bytes.count))
          try await memory.createIfAbsent(bytes, at: path)
        }
      }
    },
    Flaw(
      "what cannot be read stays open", breaks: "requests leave no file open, whether they succeed or fail"
    ) { memory in
      let leaked = OpenDescriptors()
      return { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          do throws(BackendError) { return try await memory.download(path, limit: limit) } catch {
            if error.code == .tooLarge { leaked.open() }
            throw error
          }
        }
      }
    },
  ]

  private static func reading(
    _ description: String, _ change: @escaping @Sendable ([UInt8]) -> ArraySlice<UInt8>
  ) -> Flaw {
    Flaw(description, breaks: same) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          let bytes = try await memory.download(path, limit: limit)
          return bytes.count > piece ? Array(change(bytes)) : bytes
        }
      }
    }
  }

  private static func sizing(
    _ description: String, _ change: @escaping @Sendable (Int64) -> Int64
  ) -> Flaw {
    var flaw = Flaw(description, breaks: sizes) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          var entry = try await memory.stat(path)
          entry.size = entry.size.map(change)
          return entry
        }
      }
    }
    flaw.mayBreak = [same, "a file that is still being written under a fresh name is nowhere to be seen"]
    return flaw
  }

  /// Reports the progress of uploads otherwise.
  private static func reporting(
    _ description: String, _ report: @escaping @Sendable (Int64, RemotePath, TransferProgress) -> Void
  ) -> Flaw {
    Flaw(description, breaks: reports) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          try await memory.upload(file: file, to: path) { report($0, path, progress) }
        }
      }
    }
  }
}

extension Task where Success == Void, Failure == any Error {
  /// Waits until it has ended, whatever becomes of whoever waits.
  fileprivate func finished(_ path: RemotePath) async throws(BackendError) {
    do { try await value } catch {
      throw error as? BackendError ?? BackendError(.failed, path: path, detail: "\(error)")
    }
  }
}

/// Files that nobody closes until the storage goes.
private final class OpenDescriptors: Sendable {
  private let descriptors = Locked<[Int32]>([])

  func open() { descriptors.withLock { $0.append(dup(0)) } }
  deinit { for descriptor in descriptors.withLock({ $0 }) { close(descriptor) } }
}
