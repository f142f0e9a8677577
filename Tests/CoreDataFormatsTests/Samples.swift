import Foundation
import Testing

/// Files published by others, described in the samples' own index. They stay outside the project; where they are
/// missing, the tests that need them are skipped.
enum Samples {
  static let folder: URL? = {
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

  static func bytes(_ path: String) throws -> [UInt8] {
    let folder = try #require(folder)
    return Array(try Data(contentsOf: folder.appending(path: path)))
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, and says so, where the samples are missing.
  static var needsSamples: Self {
    .enabled(if: Samples.folder != nil, "the folder shared/coredata/samples is missing")
  }
}

/// A repeatable source of random numbers (SplitMix64, Steele et al. 2014).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
