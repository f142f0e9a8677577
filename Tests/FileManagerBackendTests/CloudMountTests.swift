import FileManagerBackend
import Foundation
import ProcessTesting
import SyncProtocol
import TemporaryFolders
import Testing

/// A cloud that rclone shows as a folder: a mount that knows no links and no renaming that refuses to replace, and that uploads when
/// files are closed.
@Suite struct CloudMountTests {
  private static let mount = #"""
    setsid rclone mount "$1" "$2" --config /dev/null --cache-dir "$3" --vfs-cache-mode "$4" >"$5.log" 2>&1 &
    echo $! >"$5"
    for attempt in $(seq 100); do
      mountpoint -q "$2" && exit 0
      sleep 0.1
    done
    exit 1
    """#
  /// rclone ends once everything is uploaded.
  private static let unmount = #"""
    process=$(cat "$2")
    fusermount3 -u "$1" || umount -l "$1"
    for attempt in $(seq 300); do
      kill -0 "$process" 2>/dev/null || exit 0
      sleep 0.1
    done
    kill -9 "$process"
    """#

  @Test(arguments: ["off", "minimal"])
  func `what is created on a mount arrives whole`(_ mode: String) async throws {
    let folder = try TemporaryFolder()
    let (behind, mount, process) = (folder.file("behind"), folder.file("mount"), folder.file("process"))
    for path in [behind, mount] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    let words = ["sh", "-c", Self.mount, "mount", behind, mount, folder.file("cache"), mode, process]
    guard try await Subprocess.run(words).ending == .exited(0) else {
      try Test.cancel("rclone is missing, or may not mount here")
    }
    let backend = FileManagerBackend(folder: mount)
    let content = [UInt8](repeating: 7, count: 133)
    let names = (0..<200).map { "file\($0)" }
    var failures: [String] = []
    for name in names {
      let path = try #require(RemotePath(name))
      do { try await backend.createIfAbsent(content, at: path) } catch { failures.append("\(error)") }
    }
    _ = try await Subprocess.run(["sh", "-c", Self.unmount, "unmount", mount, process])

    #expect(failures == [])
    let damaged = names.filter { FileManager.default.contents(atPath: "\(behind)/\($0)") != Data(content) }
    #expect(damaged == [])
  }
}
