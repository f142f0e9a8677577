import ChangeTracking
import Crypto

/// Transfers change sets, and believes only what it has verified.
struct SetTransfer: Sendable {
  /// Transfers at the same time.
  static let parallelism = 4
  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let protection: DocumentProtection

  /// A set that was asked for.
  struct Reference: Hashable, Sendable {
    var author: AuthorID
    var set: SetName
  }

  /// What came of asking.
  enum Outcome: Sendable {
    case received(ReceivedSet)
    case obstacle(SyncFinding.Obstacle)
  }

  /// The names of an author's sets, in order; empty if the folder has not arrived yet.
  func list(_ author: AuthorID) async throws -> Result<[SetName], Failure> {
    do {
      let listing = try await backend.listIfPresent(hierarchy.changes(of: author))
      return .success(
        listing?.entries.filter { $0.kind == .file }.compactMap { SetName($0.name) }.sorted() ?? [])
    } catch {
      guard let obstacle = SyncFinding.Obstacle(error) else { throw error }
      return .failure(Failure(obstacle: obstacle))
    }
  }

  /// Why an author's folder cannot be listed.
  struct Failure: Error {
    var obstacle: SyncFinding.Obstacle
  }

  /// Whether the sets that lie there of an author are of this document; `nil` if that cannot be told. Costs two requests.
  func areOfDocument(_ author: AuthorID) async throws -> Bool? {
    guard case .success(let sets) = try await list(author), let last = sets.last else { return nil }
    let bytes: [UInt8]
    do throws(BackendError) {
      bytes = try await backend.download(hierarchy.file(of: last, by: author), limit: SetLimits.fileSize)
    } catch {
      guard SyncFinding.Obstacle(error) != nil else { throw error }
      return nil
    }
    guard ContentHash(of: bytes) == last.hash else { return nil }
    do {
      _ = try protection.open(bytes, as: .set(last.sequence, by: author))
      return true
    } catch let error as CryptoError where error.code == .authenticationFailed {
      return false
    } catch {
      return nil
    }
  }

  /// The sizes of an author's sets by their names; empty if there is no such folder. `nil` where the storage does not say.
  func sizes(_ author: AuthorID) async throws(BackendError) -> [SetName: Int64?] {
    let listing = try await backend.listIfPresent(hierarchy.changes(of: author))
    var sizes: [SetName: Int64?] = [:]
    for entry in listing?.entries ?? [] where entry.kind == .file {
      if let name = SetName(entry.name) { sizes[name] = .some(entry.size) }
    }
    return sizes
  }

  /// Fetches sets, several at a time; the outcomes are in the order asked.
  func fetch(_ references: [Reference]) async throws -> [Outcome] {
    try await concurrently(references, limit: Self.parallelism) { try await fetch($0) }
  }

  private func fetch(_ reference: Reference) async throws -> Outcome {
    let bytes: [UInt8]
    do {
      bytes = try await backend.download(
        hierarchy.file(of: reference.set, by: reference.author), limit: SetLimits.fileSize)
    } catch {
      guard let obstacle = SyncFinding.Obstacle(error) else { throw error }
      return .obstacle(obstacle)
    }
    guard ContentHash(of: bytes) == reference.set.hash else { return .obstacle(.torn) }
    do {
      let content = try protection.open(bytes, as: .set(reference.set.sequence, by: reference.author))
      let set = try ChangeSetFormats.standard.decode(content)
      guard set.author == reference.author, set.sequence == reference.set.sequence else {
        return .obstacle(.unreadable("its content names another author or sequence."))
      }
      return .received(ReceivedSet(set: set, hash: reference.set.hash))
    } catch {
      return .obstacle(SyncFinding.Obstacle(opening: bytes, error))
    }
  }

  /// Seals a set's bytes into those of its file.
  func seal(_ plain: [UInt8], _ author: AuthorID, _ sequence: UInt64) throws -> [UInt8] {
    try protection.seal(plain, as: .set(sequence, by: author))
  }

  /// Whether an own set was made for this document and in the form that is uploaded.
  func mayPush(_ set: FrozenSet) -> Bool { protection.files.mayUpload(set.bytes, as: .changeSet) }

  /// Uploads own sets, several at a time. Repeating it writes the same bytes under the same names.
  ///
  /// - Throws: ``SyncError`` with `failed`, before anything is uploaded, if one is not in the form that is: nothing leaves this device in the
  ///   clear that should not, whatever went wrong.
  func push(_ sets: [FrozenSet]) async throws {
    guard let first = sets.first else { return }
    if let unfit = sets.first(where: { !mayPush($0) }) { throw SyncError.unsealed(unfit.sequence) }
    // Of an author who begins there is no folder yet.
    if first.sequence == 1 { try await backend.makeFolder(hierarchy.changes(of: first.author)) }
    do throws(BackendError) {
      try await push(first)
    } catch {
      guard error.code == .notFound else { throw error }
      let folder = hierarchy.changes(of: first.author)
      try await backend.makeFolder(folder)
      do throws(BackendError) { try await push(first) } catch {
        throw error.code == .notFound ? .unshown(folder: folder) : error
      }
    }
    _ = try await concurrently(Array(sets.dropFirst()), limit: Self.parallelism) { try await push($0) }
  }

  private func push(_ set: FrozenSet) async throws(BackendError) {
    let name = SetName(sequence: set.sequence, hash: set.hash)
    try await backend.upload(set.bytes, to: hierarchy.file(of: name, by: set.author))
  }
}

extension SyncError {
  fileprivate static func unsealed(_ sequence: UInt64) -> SyncError {
    SyncError(
      .failed,
      "Set \(sequence) of this device is not in the form in which sets are uploaded, and stays here.",
      recovery: "Synchronise again. If it stays so, report it: this should not happen.")
  }
}
