import SyncProtocol

/// The laws of `SyncBackend` as executable checks, for the tests of any back end.
///
/// Needs no test framework: run every law on fresh, empty storage and report what is thrown.
///
/// ```swift
/// @Test(arguments: BackendConformance.laws)
/// func `keeps the law`(_ law: BackendConformance.Law) async throws {
///   let outcome = try await law.verify {
///     let folder = try TemporaryFolder()
///     return ConformanceStorage(connect: { MyBackend(folder: folder.path) })
///   }
///   if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
/// }
/// ```
public enum BackendConformance {
  /// What a check that found nothing wrong has found.
  public enum Outcome: Hashable, Sendable {
    /// The law is kept.
    case kept
    /// The law does not apply, for the given reason: a capability that is not declared, say.
    case skipped(String)
  }

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
    /// - Parameters:
    ///   - sizes: how much is put into the storage.
    ///   - makeStorage: makes storage whose root is empty and used by nobody else.
    /// - Returns: whether the law is kept, or does not apply.
    /// - Throws: ``ConformanceFailure``, or whatever the back end throws where it should not.
    @discardableResult
    public func verify(
      sizes: ConformanceSizes = .short, _ makeStorage: () async throws -> ConformanceStorage
    ) async throws -> Outcome {
      let storage = try await makeStorage()
      do {
        try await check(LawContext(backend: storage.connect(), storage: storage, sizes: sizes))
        return .kept
      } catch let skipped as LawSkipped {
        return .skipped(skipped.reason)
      }
    }
  }

  /// All laws.
  public static let laws: [Law] =
    readingLaws + listingLaws + nameLaws + writingLaws + transferLaws + interleavingLaws + folderLaws
    + removalLaws + movingLaws + sharingLaws + concurrencyLaws + cancellationLaws + rootLaws + watchingLaws
    + memoryLaws
}
