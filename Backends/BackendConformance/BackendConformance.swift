import SyncProtocol

/// The laws of `SyncBackend` as executable checks, for the tests of any back end.
///
/// Needs no test framework: run every law on fresh, empty storage and report what is thrown.
///
/// ```swift
/// @Test(arguments: BackendConformance.laws)
/// func keepsTheLaw(_ law: BackendConformance.Law) async throws {
///   let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
///   try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
///   defer { try? FileManager.default.removeItem(at: folder) }
///   let outcome = try await law.verify { ConformanceStorage(connect: { MyBackend(folder: folder.path) }) }
///   if case .skipped(let reason) = outcome { print("skipped: \(law), because \(reason)") }
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
    /// Whether the memory that the process takes is measured. What else the process does disturbs that, so where tests run
    /// beside one another such a law is best checked in a process of its own.
    public let measuresMemory: Bool
    private let check: @Sendable (LawContext) async throws -> Void
    /// Whether the law holds for folders that are read page by page, too.
    private let isAlsoOfPages: Bool

    init(
      _ description: String, measuresMemory: Bool = false, alsoOfPages: Bool = false,
      _ check: @escaping @Sendable (LawContext) async throws -> Void
    ) {
      self.description = description
      self.measuresMemory = measuresMemory
      isAlsoOfPages = alsoOfPages
      self.check = check
    }

    /// The law as it is, and, if it is about listings, for those that are put together from pages.
    fileprivate var forms: [Law] {
      guard isAlsoOfPages else { return [self] }
      return [self, Law("\(description), page by page") { try await check($0.readingPages) }]
    }

    /// Checks the law.
    ///
    /// - Parameters:
    ///   - sizes: how much is put into the storage.
    ///   - patience: how long is waited for what must come, before it counts as lost. Only storage that breaks a law uses it
    ///     up, so it may be long where the machine is busy. A law is given up as soon as no request of its has begun, got on or
    ///     ended for twice as long, and what was under way then goes on.
    ///   - makeStorage: makes storage whose root is empty and used by nobody else.
    /// - Returns: whether the law is kept, or does not apply.
    /// - Throws: ``ConformanceFailure``, or whatever the back end throws where it should not.
    @discardableResult
    public func verify(
      sizes: ConformanceSizes = .short, patience: Duration = .seconds(120),
      _ makeStorage: () async throws -> ConformanceStorage
    ) async throws -> Outcome {
      let activity = Activity()
      let storage = try await makeStorage().connecting { ObservedBackend($0, activity) }
      do {
        // A law waits as long as its patience for what it knows may not come, and says more of it.
        try await activity.run(givingUpAfter: patience * 2) {
          try await check(
            LawContext(
              backend: storage.connect(), storage: storage, sizes: sizes, patience: patience,
              activity: activity))
        }
        return .kept
      } catch let skipped as LawSkipped {
        return .skipped(skipped.reason)
      }
    }
  }

  /// All laws.
  public static let laws: [Law] = [
    readingLaws, versionLaws, listingLaws, pagingLaws, nameLaws, foreignNameLaws, lookalikeLaws, writingLaws,
    contentLaws,
    transferLaws, partLaws, deviceLaws, interleavingLaws, folderLaws, removalLaws, movingLaws, sharingLaws,
    concurrencyLaws,
    meetingLaws, atOnceLaws, cancellationLaws, releaseLaws, interruptionLaws, rootLaws, watchingLaws,
    returningLaws, idlenessLaws,
    memoryLaws,
  ].flatMap { $0.flatMap(\.forms) }
}
