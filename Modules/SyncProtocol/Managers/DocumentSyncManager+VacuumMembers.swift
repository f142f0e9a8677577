import ChangeTracking

/// What each device that takes part has, as far as anybody can tell.
extension DocumentSyncManager {
  /// What came of reading the heads.
  enum VacuumMembers {
    /// Of each device, which sets it has.
    case known([AuthorID: VersionVector])
    /// The head of this device cannot be read.
    case unreadable(AuthorID)
  }

  /// What is known of each device. Nobody waits for those who were removed; a plan alone has not read the notes.
  ///
  /// - Parameter own: what this device has.
  func vacuumMembers(
    holding own: VersionVector, _ listing: HeadListing, _ heads: HeadTransfer
  ) async throws -> VacuumMembers {
    var members = [try replica.author: own]
    let removed = Set(listing.removals.map(\.author))
    let others = try membersAmong(listing.authors)
      .filter { try $0 != replica.author && !removed.contains($0) }.compactMap { listing.newest(of: $0) }
    let contents = try await concurrently(others, limit: SetTransfer.parallelism) { name -> Head? in
      do {
        return try await heads.read(name)
      } catch let error as BackendError where !error.isAboutOneFile {
        throw error
      } catch {
        try Task.checkCancellation()
        return nil
      }
    }
    for (name, head) in zip(others, contents) {
      guard let head else { return .unreadable(name.author) }
      members[name.author] = head.vector
      members[name.author]?[name.author] = name.sequence
    }
    let unseen = try await unseenMembers(Set(members.keys).union(removed), listing, heads.protection)
    members.merge(unseen) { $1 }
    return .known(members)
  }

  /// Whose sets this device has, and whose heads do not lie there: they may be late, as they are for a device that has just begun with a whole store.
  ///
  /// They are taken to have what is below the floor, so they hold back all above it until that was announced for as long as a device may
  /// be away. Then they are written down, and nobody waits for them any more.
  private func unseenMembers(
    _ known: Set<AuthorID>, _ listing: HeadListing, _ protection: DocumentProtection
  ) async throws -> [AuthorID: VersionVector] {
    let gone = Set(try pins.supersededAuthors().keys).union(listing.supersessions.map(\.former))
      .union(try replica.formerAuthors())
    let unseen = try membersAmong(
      replica.vector().sequences.keys.filter { !known.contains($0) && !gone.contains($0) })
    guard !unseen.isEmpty else { return [:] }
    let absent = try await absentAuthors(protection)
    let (vectors, floor) = (try pins.knownVectors(), try floor())
    return unseen.filter { !absent.contains($0) }.reduce(into: [:]) { members, author in
      members[author] = floor.union(vectors[author]?.vector ?? VersionVector())
    }
  }

  /// Who was written down to have been away for too long.
  private func absentAuthors(_ protection: DocumentProtection) async throws -> Set<AuthorID> {
    do throws(BackendError) {
      let names = try await backend.listIfPresent(hierarchy.deletedClients, limit: HeadTransfer.entryLimit)?
        .listing.names
      return Set((names ?? []).compactMap { AbsenceName($0) }.filter(protection.verifies).map(\.author))
    } catch {
      guard error.isAboutOneFile else { throw error }
      return []
    }
  }
}
