import ChangeTracking
import Crypto

/// Registration of a store that was begun with a copy: the copy is of one document, and joins no other of its name.
extension DocumentSyncManager {
  /// What lies there of foundings: what was read when the store was begun, if that can be joined with the keys at hand.
  ///
  /// With another password it cannot: the storage may have gone back meanwhile, after which others have founded anew. Nobody who has the
  /// present keys would ever see a founding that was joined then.
  func view(
    _ founding: DocumentFounding, after begun: BegunStore
  ) async throws -> DocumentFounding.View {
    guard let read = begun.founding, founding.knows(read.look) else { return try await founding.view() }
    return read
  }

  /// Refuses to register where none of the foundings lies that the copy is of: they were deleted, or the remote was founded anew.
  func requireBegun(
    _ begun: [RegistrationPins.BegunFounding], _ look: DocumentFounding.Look, _ evidence: DocumentEvidence
  ) async throws {
    guard !begun.isEmpty, !begun.contains(where: { look.contains($0.founding) }) else { return }
    for founding in begun.map(\.founding) {
      if let deleted = try await deleted(look.deleted, own: founding) { throw deleted }
    }
    guard look.unknownKeys.isDisjoint(with: begun.compactMap(\.key)) else {
      throw try await error(.keyMissing, look)
    }
    guard look.genuine.isEmpty, look.unknownKeys.isEmpty, !look.isFoundedInTheOpen else {
      throw SyncError.replaced(hierarchy)
    }
    if evidence.hasContent { throw try await error(.notDelivered, look) }
    throw SyncError(
      .documentNotFound,
      "The remote does not hold the document “\(hierarchy.document)” any more from which this store was begun.",
      recovery:
        "Wait if the storage is still delivering. If the document is lost, begin with a new store; this one keeps everything that it holds."
    )
  }
}

extension DocumentEvidence {
  /// Leaves out the foundings that a copy is not of. Those that are one document with it are united with it in due course.
  mutating func keepOnly(_ begun: [RegistrationPins.BegunFounding]) {
    guard !begun.isEmpty else { return }
    foundings.removeAll { found in !begun.contains { $0.founding == found.integrityKey } }
    unread.removeAll { unread in !begun.contains { $0.founding == unread } }
    isUndecided = false
  }
}
