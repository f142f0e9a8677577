import BackendConformance
import Foundation
import Locking
import SyncProtocol

extension Flaw {
  private static let released =
    "after a cancelled download its file can be replaced and its folder removed, by any client"

  static let release = [
    keeping("a cancelled download keeps its file locked") { locked, path in locked.contains(path) },
    keeping("a cancelled download keeps its folder locked") { locked, path in
      locked.contains { $0 != path && $0.names.starts(with: path.names) }
    },
    keeping("a cancelled download keeps its file locked, for other clients", isOwn: false) { locked, path in
      locked.contains(path)
    },
    Flaw("a cancelled download leaves its file open", breaks: "cancelled downloads leave no file open") {
      memory in
      let opened = Locked<[FileHandle]>([])
      return { client in
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          do throws(BackendError) { try await memory.download(path, toFile: file, progress: progress) } catch
          {
            if error.code == .cancelled, let handle = FileHandle(forReadingAtPath: "/dev/null") {
              opened.withLock { $0.append(handle) }
            }
            throw error
          }
        }
      }
    },
  ].map { flaw in
    var flaw = flaw
    flaw.patience = .milliseconds(200)
    return flaw
  }

  /// Refuses to write or remove what a download had taken hold of that was cancelled in the middle.
  ///
  /// - Parameters:
  ///   - isOwn: whether it is refused to the client that downloaded, too.
  ///   - isRefused: whether something is, by the files that are held.
  private static func keeping(
    _ description: String, isOwn: Bool = true,
    _ isRefused: @escaping @Sendable (Set<RemotePath>, RemotePath) -> Bool
  ) -> Flaw {
    Flaw(description, breaks: released) { memory in
      let clients = Locked(0)
      let locked = Locked<[(owner: Int, path: RemotePath)]>([])
      return { client in
        let number = clients.withLock { count in
          count += 1
          return count
        }
        @Sendable func look(_ path: RemotePath) throws(BackendError) {
          if Task.isCancelled { return }
          let held = locked.withLock { Set($0.filter { isOwn || $0.owner != number }.map(\.path)) }
          if isRefused(held, path) { throw BackendError(.locked, path: path) }
        }
        client.onDownloadFile = { (path, file, progress) async throws(BackendError) in
          let wasCancelled = Task.isCancelled
          do throws(BackendError) { try await memory.download(path, toFile: file, progress: progress) } catch
          {
            if error.code == .cancelled, !wasCancelled { locked.withLock { $0.append((number, path)) } }
            throw error
          }
        }
        client.onUpload = { (bytes, path) async throws(BackendError) in
          try look(path)
          try await memory.upload(bytes, to: path)
        }
        client.onRemove = { (path) async throws(BackendError) in
          try look(path)
          try await memory.remove(path)
        }
      }
    }
  }
}
