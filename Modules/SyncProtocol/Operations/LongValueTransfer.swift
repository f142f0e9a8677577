import ChangeTracking
import Crypto

/// Transfers values that are too long for a set, and believes only what it has verified.
struct LongValueTransfer: Sendable {
  /// Values of so many bytes together are fetched at once: that bounds the memory. A longer one is fetched alone.
  static let batchSize = 64 << 20

  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let protection: DocumentProtection

  /// What came of asking.
  enum Outcome: Sendable {
    case received([UInt8])
    case obstacle(SyncFinding.Obstacle)
  }

  // MARK: Upload

  /// Looks at the folder, which nothing else does: a back end removes, with what is written next, what interrupted uploads have left in
  /// folders that it has listed. Nothing depends on it.
  func look() async { _ = try? await backend.listIfPresent(hierarchy.longValues, limit: 1) }

  /// The name under which the value of a hash is written.
  func name(of hash: ContentHash) throws -> LongValueName {
    try LongValueName(hash, key: protection.keys?.primary)
  }

  /// The sizes of the values that lie there, where the storage says; one request.
  func sizes() async throws(BackendError) -> [LongValueName: Int64?] {
    let listing = try await backend.listIfPresent(hierarchy.longValues)
    var sizes: [LongValueName: Int64?] = [:]
    for entry in listing?.entries ?? [] where entry.kind == .file {
      if let name = LongValueName(entry.name) { sizes[name] = .some(entry.size) }
    }
    return sizes
  }

  /// Uploads a value unless it lies there. That a file has the right size does not say that it is the value.
  func push(_ bytes: [UInt8], _ hash: ContentHash) async throws {
    let path = hierarchy.file(of: try name(of: hash))
    if try await size(path) != nil, let value = LongValue(.data(bytes)),
      case .received = try await fetch(value, at: path)
    {
      return
    }
    try await upload(bytes, hash)
  }

  /// Uploads a value in place of what lies there.
  func upload(_ bytes: [UInt8], _ hash: ContentHash) async throws {
    let file = try protection.seal(
      try LongValueFile.encode(bytes), as: .longValue(hash))
    let path = hierarchy.file(of: try name(of: hash))
    do throws(BackendError) {
      try await backend.upload(file, to: path)
    } catch {
      guard error.code == .notFound else { throw error }
      try await backend.makeFolder(hierarchy.longValues)
      try await backend.upload(file, to: path)
    }
  }

  private func size(_ path: RemotePath) async throws(BackendError) -> Int64? {
    do throws(BackendError) {
      return try await backend.stat(path).size
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  // MARK: Download

  /// Fetches values, several at a time; the outcomes are in the order asked.
  func fetch(_ values: [LongValue]) async throws -> [Outcome] {
    try await concurrently(values, limit: SetTransfer.parallelism) { try await fetch($0) }
  }

  private func fetch(_ value: LongValue) async throws -> Outcome {
    var obstacle = SyncFinding.Obstacle.missing
    for name in try LongValueName.candidates(value.hash, keys: protection.keys) {
      switch try await fetch(value, at: hierarchy.file(of: name)) {
      case .received(let bytes): return .received(bytes)
      case .obstacle(.missing): continue
      case .obstacle(let found): obstacle = found
      }
    }
    return .obstacle(obstacle)
  }

  private func fetch(_ value: LongValue, at path: RemotePath) async throws -> Outcome {
    let file: [UInt8]
    do {
      file = try await backend.download(path, limit: LongValueFile.sizeLimit(value.length))
    } catch {
      guard let obstacle = SyncFinding.Obstacle(error) else { throw error }
      return .obstacle(obstacle)
    }
    do {
      let content = try protection.open(file, as: .longValue(value.hash))
      let bytes = try LongValueFile.decode(content, length: value.length)
      return value.value(of: bytes) == nil ? .obstacle(.torn) : .received(bytes)
    } catch {
      return .obstacle(SyncFinding.Obstacle(opening: file, error))
    }
  }
}

extension [LongValue] {
  /// The first of them that are fetched together: as many as fit, at least one.
  mutating func takeBatch() -> [LongValue] {
    var length = 0
    let end = firstIndex { value in
      length += value.length
      return length > LongValueTransfer.batchSize
    }
    let batch = Array(prefix(Swift.max(end ?? count, 1)))
    removeFirst(batch.count)
    return batch
  }
}
