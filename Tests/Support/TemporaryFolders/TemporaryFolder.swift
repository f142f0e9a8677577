import Foundation

/// A folder of a test's own, removed with everything in it when the last reference goes.
public final class TemporaryFolder: Sendable {
  /// Where the folder is.
  public let url: URL

  /// Makes an empty folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "ticds-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Where the folder is.
  public var path: String { url.path(percentEncoded: false) }

  /// The path of a file in the folder, whether it exists or not.
  public func file(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// What is in the folder.
  public var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// Runs something with a folder that is removed afterwards, with everything in it.
public func withTemporaryFolder<R>(_ body: (URL) throws -> R) throws -> R {
  let folder = try TemporaryFolder()
  return try withExtendedLifetime(folder) { try body(folder.url) }
}
