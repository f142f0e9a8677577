import Foundation
import ProcessTesting

/// What `swift package dump-package` says of the package.
struct Manifest: Decodable {
  struct Target: Decodable {
    let name: String
    let type: String
    let path: String?
    let dependencies: [Dependency]

    /// Where its sources are, by the package manager's own rule when the manifest does not say.
    var folder: String { path ?? "\(type == "test" ? "Tests" : "Sources")/\(name)" }
    var dependencyNames: [String] { dependencies.map(\.name) }
  }

  /// `{"byName": ["TICDSSQLite", null]}` or `{"target": [...]}` or `{"product": ["Name", "package", ...]}`
  struct Dependency: Decodable {
    let name: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      guard let key = container.allKeys.first else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no name"))
      }
      var list = try container.nestedUnkeyedContainer(forKey: key)
      name = try list.decode(String.self)
    }

    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }

  struct Outside: Decodable {}

  let targets: [Target]
  let dependencies: [Outside]

  static func load() async throws -> Manifest {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    // A scratch folder of its own, because the run that started this test holds the lock of the usual one.
    let result = try await Subprocess.run([
      "swift", "package", "--package-path", Checkout.root.path, "--scratch-path", scratch.path,
      "dump-package",
    ])
    guard result.ending == .exited(0) else { throw CannotLoad(message: result.errors) }
    return try JSONDecoder().decode(Manifest.self, from: Data(result.output.utf8))
  }

  struct CannotLoad: Error { let message: String }
}
