import Foundation

/// The files, connections and the like that this process has open.
enum OpenFiles {
  /// How many there are; `nil` where the system does not tell.
  static func count() -> Int? {
    #if os(Linux)
      let folder = "/proc/self/fd"
    #else
      let folder = "/dev/fd"
    #endif
    return try? FileManager.default.contentsOfDirectory(atPath: folder).count
  }
}
