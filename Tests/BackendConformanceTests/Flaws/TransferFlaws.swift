import BackendConformance
import Foundation
import Locking
import SyncProtocol

extension Flaw {
  static let transfer = [
    Flaw(
      "the last piece of a file is dropped unless it is full",
      breaks: "files of any size go from and to files of this device"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let bytes = try content(of: file)
          let isRagged = bytes.count > 1 << 20 && bytes.count % 1 << 20 != 0
          guard isRagged else { return try await memory.upload(file: file, to: path, progress: progress) }
          try await memory.upload(Array(bytes.dropLast(bytes.count % 1 << 20)), to: path)
        }
      }
    },
    Flaw(
      "a file that ends with a piece is taken to go on, and loses its last byte",
      breaks: "files of any size go from and to files of this device"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let bytes = try content(of: file)
          guard bytes.count == 4 << 20, path.description.hasPrefix("file-4") else {
            return try await memory.upload(file: file, to: path, progress: progress)
          }
          try await memory.upload(Array(bytes.dropLast()), to: path)
        }
      }
    },
    Flaw(
      "all downloads into a folder go through one temporary file",
      breaks: "files that are downloaded into one folder at once do not disturb one another"
    ) { memory in
      let temporary = Locked<[String: [UInt8]]>([:])
      return { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          let bytes = try await memory.download(path, limit: .max)
          let folder = URL(filePath: file).deletingLastPathComponent().path
          guard bytes.count < 1 << 20, FileManager.default.fileExists(atPath: folder) else {
            return try await memory.download(path, toFile: file, progress: progress)
          }
          temporary.withLock { $0[folder] = bytes }
          await pause()
          write(temporary.withLock { $0[folder] } ?? bytes, to: file)
          progress(Int64(bytes.count))
        }
      }
    },
    Flaw(
      "the whole size is reported before anything has gone",
      breaks: "progress is reported in between and ends with the size"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          progress(Int64(try content(of: file).count))
          try await memory.upload(file: file, to: path, progress: progress)
        }
      }
    },
    Flaw(
      "the local file is made before the answer is there",
      breaks: "a failed transfer leaves no file on either side"
    ) { memory in
      { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          if !FileManager.default.fileExists(atPath: file) { write([], to: file) }
          try await memory.download(path, toFile: file, progress: progress)
        }
      }
    },
    Flaw(
      "the local file is emptied before the answer is there",
      breaks: "a download replaces the local file, and leaves it as it was after a failure"
    ) { memory in
      { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          if memory.files[path] == nil, FileManager.default.fileExists(atPath: file) { write([], to: file) }
          try await memory.download(path, toFile: file, progress: progress)
        }
      }
    },
    Flaw(
      "a client replaces what it created from a file itself",
      breaks: "create-if-absent from a file writes all of it, and never replaces"
    ) { memory in
      { client in
        let created = Locked<Set<RemotePath>>([])
        client.onCreateFile = { (file, path, progress) async throws(BackendError) in
          if created.withLock({ $0.contains(path) }) {
            return try await memory.upload(file: file, to: path, progress: progress)
          }
          try await memory.createIfAbsent(file: file, at: path, progress: progress)
          created.withLock { _ = $0.insert(path) }
        }
      }
    },
    Flaw(
      "progress is reported at the end only", breaks: "progress is reported in between and ends with the size"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let bytes = try content(of: file)
          try await memory.upload(bytes, to: path)
          progress(Int64(bytes.count))
        }
      }
    },
    Flaw(
      "a new file is written under its name",
      breaks: "a file that is still being written under a fresh name is nowhere to be seen"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          guard memory.files[path] == nil, let half = try half(of: file) else {
            return try await memory.upload(file: file, to: path, progress: progress)
          }
          try await memory.upload(half, to: path)
          do throws(BackendError) { try await memory.upload(file: file, to: path, progress: progress) } catch
          {
            await uncancelled { try await memory.remove(path) }
            throw error
          }
        }
      }
    },
    Flaw(
      "a file is replaced in place", breaks: "a file that is being replaced shows what it held before"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          guard let before = memory.files[path], let half = try half(of: file) else {
            return try await memory.upload(file: file, to: path, progress: progress)
          }
          try await memory.upload(half, to: path)
          do throws(BackendError) { try await memory.upload(file: file, to: path, progress: progress) } catch
          {
            await uncancelled { try await memory.upload(before, to: path) }
            throw error
          }
        }
      }
    },
    Flaw(
      "whether a name is taken is found out before the transfer, and not again",
      breaks: "of two clients that create one name, the one that finishes later fails"
    ) { memory in
      { client in
        client.onCreateFile = { (file, path, progress) async throws(BackendError) in
          guard await memory.isAbsent(path) else { throw BackendError(.alreadyExists, path: path) }
          try await memory.upload(file: file, to: path, progress: progress)
        }
      }
    }.breaking(
      also: "of many clients that create one name at once, exactly one succeeds where that is promised"),
    Flaw(
      "the second half is appended to whatever is there then",
      breaks: "a file that is removed while it is replaced is whole or gone"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let existed = memory.files[path] != nil
          try await memory.upload(file: file, to: path) { bytes in
            progress(bytes)
            if existed, memory.files[path] == nil { memory.hide(path) }
          }
          guard existed, await memory.isAbsent(path), let half = try half(of: file) else { return }
          memory.showAll()
          try await memory.upload(half, to: path)
        }
      }
    },
    Flaw(
      "a file that ends with a part of five mebibytes loses it",
      breaks: "files of any size go from and to files of this device"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let bytes = try content(of: file)
          guard !bytes.isEmpty, bytes.count.isMultiple(of: 5 << 20) else {
            return try await memory.upload(file: file, to: path, progress: progress)
          }
          try await memory.upload(Array(bytes.dropLast(5 << 20)), to: path)
        }
      }
    },
    Flaw("a creation reports nothing", breaks: "progress is reported in between and ends with the size") {
      memory in
      { client in
        client.onCreateFile = { (file, path, _) async throws(BackendError) in
          try await memory.createIfAbsent(file: file, at: path) { _ in }
        }
      }
    },
    Flaw(
      "a local file that cannot be read counts as empty",
      breaks: "a failed transfer leaves no file on either side"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          var isFolder: ObjCBool = false
          guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue
          else {
            return try await memory.upload(file: file, to: path, progress: progress)
          }
          try await memory.upload([], to: path)
        }
      }
    },
    Flaw(
      "a local folder that is missing is taken for an absent file",
      breaks: "a failed transfer leaves no file on either side"
    ) { memory in
      { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          do throws(BackendError) { try await memory.download(path, toFile: file, progress: progress) } catch
          {
            throw error.code == .localFile ? BackendError(.notFound, path: path) : error
          }
        }
      }
    },
    Flaw(
      "all who write a name share a temporary file",
      breaks:
        "of two clients that write one file, one amid the other's transfer, the whole content of one stays"
    ) { memory in
      { client in
        client.onUploadFile = { (file, path, progress) async throws(BackendError) in
          let before = memory.files[path]
          let between = Locked(before)
          try await memory.upload(file: file, to: path) { bytes in
            progress(bytes)
            between.withLock { $0 = memory.files[path] }
          }
          let other = between.withLock { $0 }
          guard let other, other != before, let half = try half(of: file) else { return }
          try await memory.upload(half + other.dropFirst(half.count), to: path)
        }
      }
    },
    Flaw(
      "each piece of a download is of what the name holds then",
      breaks: "a file that is replaced while it is downloaded arrives as it was or as it is, or not at all"
    ) { memory in
      { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          let before = memory.files[path]
          try await memory.download(path, toFile: file, progress: progress)
          guard let before, let after = memory.files[path], after != before else { return }
          let middle = before.count / 2
          write(Array(before.prefix(middle) + after.dropFirst(middle)), to: file)
        }
      }
    },
  ]

  /// The first half of a file that is long enough to have one.
  static func half(of file: String) throws(BackendError) -> [UInt8]? {
    let bytes = try content(of: file)
    return bytes.count > 1 << 20 ? Array(bytes.prefix(bytes.count / 2)) : nil
  }

  static func content(of file: String) throws(BackendError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw BackendError(.localFile, path: .root)
    }
    return [UInt8](data)
  }

  static func write(_ bytes: [UInt8], to file: String) {
    _ = FileManager.default.createFile(atPath: file, contents: Data(bytes))
  }
}
