import Foundation

/// A folder of this device's own beside a store, for files that are worth nothing once the work is done: readable by the owner only,
/// emptied when it is made, and gone with this object. A process that was killed leaves it to the next one.
package final class ScratchFolder {
  let path: String

  /// - Throws: a file system error.
  convenience init(beside store: String, named suffix: String) throws {
    try self.init("\(store).\(suffix)")
  }

  /// A folder where there is no store.
  ///
  /// - Throws: a file system error.
  package static func temporary() throws -> ScratchFolder {
    let name = "ticds-\(UUID().uuidString)"
    return try ScratchFolder(URL.temporaryDirectory.appending(path: name).path(percentEncoded: false))
  }

  private init(_ path: String) throws {
    self.path = path
    try Self.clear(path)
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  deinit { try? Self.clear(path) }

  private static func clear(_ path: String) throws {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch CocoaError.fileNoSuchFile {
      return
    }
  }
}
