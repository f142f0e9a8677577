import Foundation

/// Where a store file really is.
enum StorePath {
  /// The path of the file to which a symbolic link leads, and the path itself if it is none, or leads nowhere.
  ///
  /// SQLite keeps its journal beside the file, not beside the link, and so must lie what belongs to the store.
  static func followingLinks(_ path: String) -> String {
    // A file is meant, and SQLite would open a database in memory.
    if path == PersistentStore.memoryPath { return "./" + path }
    guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil,
      let resolved = realpath(path, nil)
    else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether something has a name, be it a link that leads nowhere.
  static func isTaken(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)) != nil
  }
}
