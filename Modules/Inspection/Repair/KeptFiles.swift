import ChangeTracking
import Crypto
import ObjectStore
import SyncProtocol

/// What the store of a device keeps of what it has pushed: the newest sets and long values, with which a remote that has lost them is filled again.
public final class KeptFiles {
  private let kept: KeptSets
  private let values: [ContentHash]

  /// Looks into a store. Nothing is written.
  ///
  /// - Throws: `StoreFileError`, or `SQLiteError` if the store was never synchronised.
  public init(storeAt path: String) throws {
    let store = try StoreFile(path: path)
    guard let connection = try store.persistentStore?.newConnection() else {
      throw ContentProblem("“\(path)” is no store that can be synchronised")
    }
    kept = KeptSets(connection)
    values = try kept.longValues()
  }

  /// The file of a lost set; `nil` if the store does not keep it, or keeps it in another form than the remote has.
  func set(_ sequence: UInt64, of author: AuthorID, sealed isSealed: Bool) -> FrozenSet? {
    guard let set = try? kept.set(sequence, of: author), SealedContainer.isSealed(set.bytes) == isSealed
    else { return nil }
    return set
  }

  /// Sets of each author that are looked for in it, at most.
  private static let triedSets = 64

  /// Whether it keeps one of the sets that lie in a document.
  func knows(_ document: DocumentReader) -> Bool {
    document.setsByAuthor.contains { author, sets in
      sets.suffix(Self.triedSets).contains { file in
        (try? kept.set(file.name.sequence, of: author)).flatMap { $0 }?.hash == file.name.hash
      }
    }
  }

  /// A lost long value, of which only its name is known.
  func value(named digits: ContentHash, keys: KeyRing?) -> (hash: ContentHash, bytes: [UInt8])? {
    for hash in values {
      guard let names = try? LongValueName.candidates(hash, keys: keys),
        names.contains(where: { $0.digits == digits }), let bytes = try? kept.longValue(hash)
      else { continue }
      return (hash, bytes)
    }
    return nil
  }
}

extension RepairPlanner {
  /// Puts back what the store of a device still has.
  ///
  /// - Returns: whether it has it.
  mutating func takeFromStore(_ lost: Verification.Lost, _ document: DocumentReader) -> Bool {
    guard let kept, let protection = document.protection, !document.application.isLocked else { return false }
    let keys = document.application.keys.ring
    switch lost.subject {
    case .set(let author, let sequence):
      guard let set = kept.set(sequence, of: author, sealed: keys != nil) else { return false }
      let path = lost.document.file(of: SetName(sequence: sequence, hash: set.hash), by: author)
      // What it holds may be another branch, which lies here already.
      guard nodes[path] == nil || aside.contains(path) else { return false }
      isStoreUsed = true
      add(
        RepairAction(
          path: path, change: .write(.bytes(set.bytes)),
          reason: "The store of the device that made it has it."))
    case .value(let digits):
      guard let value = kept.value(named: digits, keys: keys),
        let name = RemoteName("\(digits).value").flatMap({ LongValueName($0) }),
        let content = try? LongValueFile.encode(value.bytes),
        let file = try? protection.seal(content, as: .longValue(value.hash))
      else { return false }
      isStoreUsed = true
      add(
        RepairAction(
          path: lost.document.file(of: name), change: .write(.bytes(file)),
          reason: "The store of the device that wrote it has it."))
    }
    return true
  }
}
