import ChangeTracking

/// The laws of `LocalStore` as executable checks, for the tests of any store.
///
/// Needs no test framework: run every law on a fresh, empty store and report what is thrown.
///
/// ```swift
/// @Test(arguments: LocalStoreConformance.laws)
/// func `keeps the laws of stores`(_ law: LocalStoreConformance.Law) throws {
///   let outcome = try law.verify { try ConformanceStore(AddressBook(path: ":memory:")) }
///   if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
/// }
/// ```
/// What the laws need they find in the store's `SyncSchema`: give it a schema with every kind of property that you support.
public enum LocalStoreConformance {
  /// One law.
  public struct Law: Sendable, CustomStringConvertible {
    /// The law as a sentence.
    public let description: String
    private let check: @Sendable (LawContext) throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (LawContext) throws -> Void) {
      self.description = description
      self.check = check
    }

    /// Checks the law.
    ///
    /// - Parameter makeStore: makes an empty store, another one with each call.
    /// - Throws: ``StoreConformanceFailure``, or whatever the store throws where it should not.
    public func verify(_ makeStore: () throws -> ConformanceStore) throws -> Outcome {
      do {
        try withoutActuallyEscaping(makeStore) { try check(LawContext(makeStore: $0)) }
        return .kept
      } catch let skipped as LawSkipped {
        return .skipped(skipped.reason)
      }
    }
  }

  /// What became of a law that was not broken.
  public enum Outcome: Hashable, Sendable {
    /// The store keeps it.
    case kept
    /// The store has nothing that the law is about.
    case skipped(String)
  }

  /// All laws.
  public static let laws: [Law] =
    rowLaws + valueLaws + relationshipLaws + listLaws + searchLaws + recordingLaws + replicaLaws
}

/// A store as the suite needs to know it.
public struct ConformanceStore {
  /// The store.
  public var store: any LocalStore
  /// Names of entities that no row may have, for others only inherit from them.
  public var abstractEntities: Set<String>
  /// Opens the copy of the store that lies at a path; without it nothing is asked of copies.
  public var openCopy: ((_ path: String) throws -> any LocalStore)?

  /// Describes a store.
  public init(
    _ store: any LocalStore, abstractEntities: Set<String> = [],
    openCopy: ((_ path: String) throws -> any LocalStore)? = nil
  ) {
    self.store = store
    self.abstractEntities = abstractEntities
    self.openCopy = openCopy
  }
}

/// How a store broke a law.
public struct StoreConformanceFailure: Error, Hashable, CustomStringConvertible {
  /// What was found, and what was expected.
  public let description: String
}

/// The store has nothing that a law is about.
struct LawSkipped: Error {
  let reason: String
}
