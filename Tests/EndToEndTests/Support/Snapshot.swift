import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Everything below a folder: names, kinds, sizes, times, inodes and bytes.
struct Snapshot: Equatable, CustomStringConvertible {
  struct Entry: Equatable {
    let path: String
    let mode: UInt32
    let inode: UInt64
    let size: Int64
    let modified: String
    let bytes: Data?
  }

  let entries: [Entry]

  init(_ folder: URL) {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let inner = (files?.compactMap { ($0 as? URL)?.path } ?? []).sorted()
    entries = ([folder.path] + inner).compactMap { path in
      var info = stat()
      guard lstat(path, &info) == 0 else { return nil }
      let isFile = info.st_mode & S_IFMT == S_IFREG
      #if canImport(Glibc)
        let modified = "\(info.st_mtim.tv_sec).\(info.st_mtim.tv_nsec)"
      #else
        let modified = "\(info.st_mtimespec.tv_sec).\(info.st_mtimespec.tv_nsec)"
      #endif
      return Entry(
        path: path, mode: UInt32(info.st_mode), inode: UInt64(info.st_ino), size: Int64(info.st_size),
        modified: modified, bytes: isFile ? try? Data(contentsOf: URL(filePath: path)) : nil)
    }
  }

  /// Names and bytes only: what a reader could tell.
  var contents: [String: Data?] {
    Dictionary(uniqueKeysWithValues: entries.map { ($0.path, $0.bytes) })
  }

  var description: String {
    entries.map { "\($0.path) \($0.inode) \($0.size) \($0.modified)" }.joined(separator: "\n")
  }
}
