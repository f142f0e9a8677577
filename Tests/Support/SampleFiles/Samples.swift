import Foundation
import Testing

/// Files published by others, described in the samples' own index. They stay outside the project; where they are
/// missing, the tests that need them are skipped.
public enum Samples {
  /// The folder, found beside one of the folders that enclose the project, or in the folder that the environment
  /// variable `TICDS_SHARED` names.
  public static let folder: URL? = {
    let environment = ProcessInfo.processInfo.environment["TICDS_SHARED"].map { [URL(filePath: $0)] } ?? []
    var ancestors: [URL] = []
    var folder = URL(filePath: #filePath)
    while folder.pathComponents.count > 1 {
      folder.deleteLastPathComponent()
      ancestors.append(folder.appending(path: "shared"))
    }
    return (environment + ancestors).map { $0.appending(path: "coredata/samples") }
      .first { FileManager.default.fileExists(atPath: $0.appending(path: "INDEX.md").path) }
  }()

  /// Where a sample lies.
  public static func url(_ path: String) throws -> URL {
    try #require(folder).appending(path: path)
  }

  /// A sample's content.
  public static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: url(path)))
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, and says so, where the samples are missing.
  public static var needsSamples: Self {
    .enabled(if: Samples.folder != nil, "the folder shared/coredata/samples is missing")
  }
}
