import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Links that somebody has put into the folder. Whoever reads or writes files here never follows one.
extension FileManagerBackend: SymbolicLinkStorage {
  /// Where a link leads; `nil` if something else lies there, or nothing.
  public func targetOfLink(at path: RemotePath) async throws(BackendError) -> [UInt8]? {
    do throws(BackendError) {
      return try await run(path) { (_) throws(BackendError) in
        let place = try Folder.openParent(of: path, below: root)
        return try place.folder.targetOfLink(place.name, path)
      }
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// Makes a link.
  public func makeLink(to target: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await run(path) { (_) throws(BackendError) in
      let place = try Folder.openParent(of: path, below: root)
      try place.folder.makeLink(to: target, place.name, path)
      try place.folder.flush(path)
    }
  }
}

extension Folder {
  /// The longest target that Linux and Apple's systems let a link have.
  private static let targetLimit = 4_096

  fileprivate func targetOfLink(_ name: RemoteName, _ path: RemotePath) throws(BackendError) -> [UInt8]? {
    var target = [CChar](repeating: 0, count: Self.targetLimit + 1)
    let count = readlinkat(descriptor, name.description, &target, target.count)
    guard count >= 0 else {
      // Neither is a link.
      if errno == EINVAL || errno == ENOENT { return nil }
      throw Place.remote(path).failure
    }
    guard count <= Self.targetLimit else {
      throw BackendError(.tooLarge, path: path, detail: "the target of the link is too long")
    }
    return target.prefix(count).map { UInt8(bitPattern: $0) }
  }

  fileprivate func makeLink(
    to target: [UInt8], _ name: RemoteName, _ path: RemotePath
  ) throws(BackendError) {
    guard !target.isEmpty, !target.contains(0) else {
      throw BackendError(.unsupported, path: path, detail: "no link leads there")
    }
    let text = target.map { CChar(bitPattern: $0) } + [0]
    guard symlinkat(text, descriptor, name.description) == 0 else { throw Place.remote(path).failure }
  }
}
