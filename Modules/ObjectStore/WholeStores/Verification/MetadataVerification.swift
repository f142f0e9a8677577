import CoreDataFormats
import Foundation

/// Checks what a store of any kind says about itself: its identity, its kind, the form of its version hashes, the last key that was handed out.
struct MetadataVerification {
  let file: StoreFile

  func run(_ report: (StoreFinding) throws -> Void) throws {
    if file.modelOrigin == .derived {
      let reason = file.modelProblem.map { " (\($0))" } ?? ""
      try report(
        StoreFinding(
          .hint, .guessedModel,
          "no model was found\(reason), so names and types are guesses, and what only a model tells is not checked"
        ))
    }
    if UUID(uuidString: file.uuid) == nil {
      try report(
        StoreFinding(
          .error, .metadata,
          file.uuid.isEmpty
            ? "the store has no identity (UUID)" : "the store's identity, \(file.uuid), is no UUID"))
    }
    // Copies made for forensic purposes have been seen without any; what XML stores have is known from descriptions alone.
    if !file.metadata.isEmpty, file.kind != .xml { try checkEntries(report) }
    if file.modelOrigin != .derived, file.hashDifferences.isEmpty { try checkDigests(report) }
    if case .binary(let store) = file.content, file.kind == .binary,
      let greatest = store.nodes.map(\.primaryKey).max(), store.lastPrimaryKey < greatest
    {
      try report(
        StoreFinding(
          .error, .keyCounter, "key \(greatest) is in use, but only \(store.lastPrimaryKey) were handed out"))
    }
  }

  /// Core Data opens no store that says it is of another kind, or whose version hashes are of a newer form.
  private func checkEntries(_ report: (StoreFinding) throws -> Void) throws {
    let kind =
      file.kind == .sqlite ? "SQLite" : "Binary"
    let said = file.metadata["NSStoreType"]
    if said != .string(kind) {
      try report(
        StoreFinding(
          .error, .metadata,
          said.map { "the store says that its kind (NSStoreType) is \($0), and it is \(kind)" }
            ?? "the store does not say of what kind it is (NSStoreType)"))
    }
    let version = file.metadata["NSStoreModelVersionHashesVersion"]
    guard case .integer(let number)? = version, (1...3).contains(number) else {
      try report(
        StoreFinding(
          .error, .metadata,
          "the form of the version hashes (NSStoreModelVersionHashesVersion) is "
            + (version.map { "\($0), and at most 3 is known" } ?? "not told")))
      return
    }
  }

  /// What newer versions of Core Data compare in place of all hashes, where a store has it.
  private func checkDigests(_ report: (StoreFinding) throws -> Void) throws {
    let digests = [
      ("NSStoreModelVersionHashesDigest", VersionHash.digest(of: file.model)),
      ("NSStoreModelVersionChecksumKey", VersionHash.checksum(of: file.model)),
    ]
    for (key, expected) in digests {
      guard let said = file.metadata[key], said != .string(expected) else { continue }
      try report(StoreFinding(.error, .versionHash, "\(key) is not what the version hashes make"))
    }
  }
}
