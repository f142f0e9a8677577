import ChangeTracking
import Locking
import SyncProtocol

/// Passes everything on to another back end and remembers what each file held whenever it was read: whoever takes a file away compares
/// what he takes with what was judged.
final class JudgedReadings: WrappingBackend {
  let base: any SyncBackend
  private let readings = Locked<[RemotePath: Set<ContentHash>]>([:])
  /// Different contents of one file that are remembered. More say no more: it reads differently each time.
  private static let limit = 3

  init(_ base: any SyncBackend) { self.base = base }

  /// What the files at some places and below them held.
  func below(_ places: Set<RemotePath>) -> [RemotePath: Set<ContentHash>] {
    readings.withLock { all in
      all.filter { path, _ in
        path.names.indices.contains { places.contains(RemotePath(Array(path.names[...$0]))) }
      }
    }
  }

  private func note(_ hash: ContentHash, _ path: RemotePath) {
    readings.withLock { all in
      if all[path, default: []].count < Self.limit { all[path, default: []].insert(hash) }
    }
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    let bytes = try await base.download(path, limit: limit)
    note(ContentHash(of: bytes), path)
    return bytes
  }

  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let found = await base.downloadAtOnce(names, in: folder, limit: limit)
    for (name, bytes) in found { note(ContentHash(of: bytes), folder.appending(name)) }
    return found
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.download(path, toFile: localPath, progress: progress)
    do {
      note(try LocalFile.hash(of: localPath), path)
    } catch {
      throw BackendError(ofThisDevice: error)
        ?? BackendError(.localFile, path: path, detail: "the copy on this device cannot be read: \(error)")
    }
  }
}
