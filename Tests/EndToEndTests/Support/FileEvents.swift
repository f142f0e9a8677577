#if os(Linux)
  import Glibc
  import Foundation
  import ProcessTesting
  import Synchronization

  /// Follows what a program does to the files in some folders (inotify), so that a test can stop it between any two steps.
  final class FileEvents: Sendable {
    private let descriptor: Int32
    private let hasEnded = Mutex(false)

    struct Unavailable: Error {}

    init(in folders: [URL]) throws {
      descriptor = inotify_init()
      guard descriptor >= 0 else { throw Unavailable() }
      let events = UInt32(IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE)
      for folder in folders where inotify_add_watch(descriptor, folder.path, events) < 0 {
        throw Unavailable()
      }
    }

    deinit { close(descriptor) }

    /// The folder and all folders below it.
    static func folders(below root: URL) -> [URL] {
      let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isDirectoryKey])
      return [root]
        + (files?.compactMap { $0 as? URL } ?? []).filter {
          (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
        }
    }

    /// Kills a program at its n-th event. Returns how it ended, and how many events there were until then.
    func kill(_ program: Subprocess, atEvent limit: Int) async throws -> (Subprocess.Ending, events: Int) {
      async let events = onThreadOfItsOwn {
        self.count { if $0 >= limit { program.send(SIGKILL) } }
      }
      let ending = try await program.result().ending
      hasEnded.withLock { $0 = true }
      return (ending, await events)
    }

    private func count(_ notice: (Int) -> Void) -> Int {
      var count = 0
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while true {
        let isLast = hasEnded.withLock { $0 }
        guard poll(&request, 1, isLast ? 0 : 5) > 0 else {
          if isLast { return count }
          continue
        }
        let size = read(descriptor, &buffer, buffer.count)
        var offset = 0
        // struct inotify_event: wd, mask, cookie, len (32 bits each), then len bytes of name.
        while offset + 16 <= size {
          let length = buffer[(offset + 12)..<(offset + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
          offset += 16 + length
          count += 1
          notice(count)
        }
      }
    }
  }
#endif
