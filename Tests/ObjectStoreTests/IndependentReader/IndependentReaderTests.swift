import Foundation
import ObjectStore
import ProcessTesting
import TICDSSQLite
import TemporaryFolders
import Testing

@Suite struct IndependentReaderTests {
  static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "read.py")

  private static let isLong = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] != nil

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A hundred models, ten of them for each start of the reader.
  @Test(.enabled(if: python != nil, "needs Python 3"), arguments: 0..<10)
  func `a reader that was written from the layout's description alone finds every value of random models`(
    tens: Int
  ) async throws {
    for seed in tens * 10..<tens * 10 + 10 { try populate("\(seed)", seed: UInt64(seed)) }

    let result = try await read()

    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.hasSuffix("10 stores read\n"))
  }

  @Test(.enabled(if: python != nil, "needs Python 3"))
  func `the reader names the object and the property where a store holds something else`() async throws {
    let store = try populate("changed", seed: 7)
    let entity = try #require(store.expectation().objects.first).entity
    let table = try #require(store.tableName(of: entity))
    let connection = try Connection(path: folder.file("changed.sqlite"), options: .init(access: .readWrite))
    try connection.run("UPDATE \(table) SET Z_ENT = 99 WHERE Z_PK = (SELECT min(Z_PK) FROM \(table))")

    let result = try await read()

    #expect(result.ending == .exited(1))
    #expect(result.output.contains(": Z_ENT is 99, not "), "\(result.output)\(result.errors)")
  }

  @Test(arguments: 0..<(isLong ? 300 : 10))
  func `whatever a context has made of a random model passes the check of its store`(tens: Int) throws {
    for seed in tens * 10..<tens * 10 + 10 {
      try populate("\(seed)", seed: UInt64(seed))

      try StoreFile(path: folder.file("\(seed).sqlite")).verify { finding in
        #expect(finding.severity == .hint, "seed \(seed): \(finding)")
      }
    }
  }

  @discardableResult private func populate(_ name: String, seed: UInt64) throws -> PopulatedStore {
    let store = try PopulatedStore(seed: seed, path: folder.file("\(name).sqlite"))
    try JSONEncoder().encode(store.expectation()).write(to: folder.url.appending(path: "\(name).json"))
    return store
  }

  private func read() async throws -> Subprocess.Result {
    try await Subprocess.run(
      [try #require(Self.python), Self.program.path(percentEncoded: false), folder.path])
  }
}
