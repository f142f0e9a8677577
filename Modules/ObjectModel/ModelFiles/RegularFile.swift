#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What may be opened and read to its end: a named pipe waits for somebody who writes, a terminal for somebody who types.
package enum RegularFile {
  /// Whether a path leads to something that is neither a file with data nor a folder.
  package static func isOther(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// What is said of one.
  package static let words = "it is a pipe or a device, and no file that holds data"
}
