import BackendConformance
import FileManagerBackend
import Foundation
import ProcessTesting
import SyncProtocol
import TemporaryFolders
import Testing

/// File systems other than the one that temporary files lie on, where this user may mount them.
@Suite struct MountedFileSystemTests {
  struct FileSystem: CustomTestStringConvertible {
    let testDescription: String
    /// A shell command that mounts it at `$1` and may use the file `$2`.
    let mount: String
    var tellsVersions = true
    /// Whether names may hold whatever they may hold elsewhere.
    var takesAnyName = true
    /// Laws that the file system breaks and this back end cannot mend.
    var broken: Set<String> = []
  }

  static let memory = FileSystem(
    testDescription: "tmpfs", mount: #"mount -t tmpfs -o size=256m none "$1""#)
  /// Inodes of 128 bytes have no room for fractions of seconds.
  static let coarse = FileSystem(
    testDescription: "ext4 that dates in whole seconds",
    mount: #"truncate -s 256M "$2" && mkfs.ext4 -q -I 128 "$2" && mount -o loop "$2" "$1""#,
    tellsVersions: false)

  /// Names that differ in case are one and hold no question marks; there are no links, and no renaming that refuses to replace. One
  /// that replaces is not atomic: for a moment there is nothing under the name. Files of ours are never replaced by other content.
  static let caseless = FileSystem(
    testDescription: "exFAT",
    mount: #"""
      truncate -s 256M "$2" && mkfs.exfat "$2" && device=$(losetup -f --show "$2") || exit 1
      mount.exfat-fuse "$device" "$1"
      status=$?
      # Goes when it is unmounted.
      losetup -d "$device"
      exit $status
      """#,
    tellsVersions: false, takesAnyName: false,
    broken: ["a small file that is listed while others write is complete where replacing is atomic"])
  static let casefold = FileSystem(
    testDescription: "ext4 that takes names that differ in case for one",
    mount: #"""
      truncate -s 256M "$2" && mkfs.ext4 -q -O casefold -E encoding=utf8 "$2" && mount -o loop "$2" "$1" || exit 1
      rmdir "$1/lost+found" && chattr +F "$1" && exit 0
      umount "$1"
      exit 1
      """#)

  @Test(arguments: [memory, coarse, caseless, casefold])
  func `a folder of another file system keeps the laws of storage`(_ system: FileSystem) async throws {
    #expect(system.broken.subtracting(BackendConformance.laws.map(\.description)) == [])
    for attempt in 1... {
      let folder = try TemporaryFolder()
      let mount = folder.file("mount")
      try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
      let words = ["sh", "-c", system.mount, "mount", mount, folder.file("image")]
      guard try await Subprocess.run(words).ending == .exited(0) else {
        try Test.cancel(
          "this user may not mount \(system.testDescription) here, or the programs for it are missing")
      }

      let failures = await lawsBroken(by: system, at: mount)
      let backend = FileManagerBackend(folder: mount)
      let path = try #require(RemotePath("file"))
      try? await backend.upload([1], to: path)
      let entry = try? await backend.stat(path)
      let isGone = isDriverGone(from: mount)
      _ = try await Subprocess.run(["umount", "-l", mount])

      // A driver in user space that aborts is no fault of the back end, unless it does so whenever it is used like this. That of exFAT
      // does now and then (https://github.com/relan/exfat/issues/117).
      if isGone, attempt < 3 {
        print("the driver of \(system.testDescription) ended, so the laws are tried again")
        continue
      }
      #expect(failures == [])
      #expect(entry?.size == 1)
      #expect((entry?.version != nil) == system.tellsVersions)
      return
    }
  }

  private func lawsBroken(by system: FileSystem, at mount: String) async -> [String] {
    var failures: [String] = []
    for (number, law) in BackendConformance.laws.enumerated()
    where !law.measuresMemory && !system.broken.contains(law.description) {
      let place = "\(mount)/\(number)"
      do {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try await law.verify(
          sizes: ConformanceSizes(entries: 300, largeFile: 64 << 20, heldFile: 4 << 20),
          patience: .seconds(600)
        ) { storage(in: place, takesAnyName: system.takesAnyName) }
        // To have room for the next one. Drivers in user space refuse to remove folders while they keep files that are gone.
        for rest in [place, "\(place)-away"] { try? FileManager.default.removeItem(atPath: rest) }
      } catch {
        failures.append("\(law): \(error)")
        if isDriverGone(from: mount) { break }
      }
    }
    return failures
  }

  /// Whether nobody answers for the file system any more. What `stat` answers may be what the kernel has kept.
  private func isDriverGone(from mount: String) -> Bool {
    var status = statvfs()
    return statvfs(mount, &status) != 0 && errno == ENOTCONN
  }
}
