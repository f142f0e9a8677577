import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension FileManagerBackend {
  /// Refuses a place on this device that lies in the remote. A replicator would carry a store that lies there to other devices
  /// while it is being written, and put theirs in its place.
  ///
  /// Links and mounts are followed, and what does not exist yet is looked for where it would be. Blocks as long as the file
  /// system takes to find a few folders.
  ///
  /// - Parameter localPath: a file or folder, absolute or relative to the current directory.
  /// - Throws: `BackendError`, with `localFile` if the place is the remote's folder or lies below.
  public func requireOutside(_ localPath: String) throws(BackendError) {
    guard let remote = FileIdentity(of: folder), var place = Self.existing(localPath) else { return }
    while FileIdentity(of: place.isEmpty ? "/" : place) != remote {
      guard let slash = place.lastIndex(of: "/") else { return }
      place = String(place[..<slash])
    }
    throw BackendError(
      .localFile, path: .root, detail: "\(localPath) lies in the remote \(folder)",
      recovery: "Keep the store outside of the folder that is synchronised.")
  }

  /// The absolute path, without links, of a place or of the nearest folder above it that exists.
  private static func existing(_ path: String) -> String? {
    var rest = path.hasPrefix("/") ? path : "./" + path
    while true {
      if let found = realpath(rest.isEmpty ? "/" : rest, nil) {
        defer { free(found) }
        return String(cString: found)
      }
      guard let slash = rest.lastIndex(of: "/") else { return nil }
      rest = String(rest[..<slash])
    }
  }
}
