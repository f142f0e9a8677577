import SyncProtocol

/// The laws of `SyncBackend` as executable checks, for the tests of any back end.
///
/// Needs no test framework: run every law on a fresh, empty root and report what is thrown.
///
/// ```swift
/// @Test(arguments: BackendConformance.laws)
/// func `keeps the law`(_ law: BackendConformance.Law) async throws {
///   try await law.verify(makeBackend)
/// }
/// ```
public enum BackendConformance {
  /// One law.
  public struct Law: Sendable, CustomStringConvertible {
    /// The law as a sentence.
    public let description: String
    private let check: @Sendable (LawContext) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (LawContext) async throws -> Void) {
      self.description = description
      self.check = check
    }

    /// Checks the law.
    ///
    /// - Parameter makeBackend: gives a back end whose root is empty and used by nobody else.
    /// - Throws: ``ConformanceFailure``, or whatever the back end throws where it should not.
    public func verify(_ makeBackend: () async throws -> any SyncBackend) async throws {
      try await check(LawContext(backend: makeBackend()))
    }
  }

  /// All laws.
  public static let laws: [Law] =
    readingLaws + writingLaws + folderLaws + removalLaws + concurrencyLaws
}

/// What a law works with.
struct LawContext: Sendable {
  let backend: any SyncBackend

  /// A path that is known to be valid.
  func path(_ text: String) throws -> RemotePath {
    guard let path = RemotePath(text) else { throw ConformanceFailure(description: "\(text) is no path") }
    return path
  }

  func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(description: otherwise()) }
  }

  func expectFailure<Result>(
    _ codes: BackendError.Code..., of what: String, _ body: () async throws -> Result
  ) async throws {
    do {
      _ = try await body()
    } catch let error as BackendError {
      try expect(
        codes.contains(error.code),
        "\(what) gave \(error.code), expected \(codes.map(\.description).joined(separator: " or "))")
      return
    }
    throw ConformanceFailure(description: "\(what) succeeded, expected \(codes)")
  }

  /// The listed names, sorted.
  func names(in folder: String) async throws -> [String] {
    try await backend.list(path(folder)).entries.map(\.name.description).sorted()
  }

  func expectContent(_ bytes: [UInt8], at path: String) async throws {
    let found = try await backend.download(self.path(path), limit: max(bytes.count, 1))
    try expect(found == bytes, "\(path) has \(found.count) bytes that differ from the \(bytes.count) written")
  }

  /// Bytes without a pattern that a storage could compress away or mistake for text.
  static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }
}
