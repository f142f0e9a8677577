import Foundation
import SyncProtocol

/// What a law works with.
struct LawContext: Sendable {
  /// The first client.
  let backend: any SyncBackend
  let storage: ConformanceStorage
  let sizes: ConformanceSizes
  /// How long is waited for what must come.
  let patience: Duration
  /// Where it is noted that the law gets on.
  let activity: Activity

  /// Another client of the same storage.
  func anotherClient() async throws -> any SyncBackend { try await storage.connect() }

  /// A path that is known to be valid.
  func path(_ text: String) throws -> RemotePath {
    guard let path = RemotePath(text) else { throw ConformanceFailure(description: "\(text) is no path") }
    return path
  }

  /// A name that is known to be valid.
  func name(_ text: String) throws -> RemoteName {
    guard let name = RemoteName(text) else { throw ConformanceFailure(description: "\(text) is no name") }
    return name
  }

  /// A path of names that are known to be valid on remotes of the classic system.
  func classicPath(_ text: String) throws -> RemotePath {
    guard let path = RemotePath(text, .classic) else {
      throw ConformanceFailure(description: "\(text) is no path")
    }
    return path
  }

  func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(description: otherwise()) }
  }

  /// Ends the check, because the law does not apply.
  func skip(_ reason: String) -> LawSkipped { LawSkipped(reason: reason) }

  /// Whether a folder is there although nothing is in it.
  var keepsEmptyFolders: Bool { !backend.capabilities.contains(.implicitFolders) }

  /// Ends the check where empty folders vanish.
  func requireEmptyFolders() throws {
    guard keepsEmptyFolders else { throw skip("the back end declares implicitFolders") }
  }

  /// Ends the check unless something is promised.
  func require(_ capability: BackendCapabilities, _ name: String) throws {
    guard backend.capabilities.contains(capability) else {
      throw skip("the back end does not declare \(name)")
    }
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
    throw ConformanceFailure(
      description: "\(what) succeeded, expected \(codes.map(\.description).joined(separator: " or "))")
  }

  /// Makes a folder and those above it one by one, so that only the law about that asks for several at once.
  func makeFolder(_ folder: String) async throws {
    var made = RemotePath.root
    for name in try path(folder).names {
      made = made.appending(name)
      if try await !isPresent(made) { try await backend.makeDirectory(made) }
    }
  }

  /// Writes a small file, and the folders above it.
  func write(_ bytes: [UInt8], to file: String) async throws {
    let path = try path(file)
    if let parent = path.parent, parent != .root { try await makeFolder(parent.description) }
    try await backend.upload(bytes, to: path)
  }

  /// Moves an entry. That a back end which promises to move can do it is a law of its own.
  func move(_ source: String, to destination: String) async throws {
    do {
      try await backend.move(path(source), to: path(destination))
    } catch let error as BackendError where error.code == .unsupported {
      throw skip("the back end does not move \(source) to \(destination)")
    }
  }

  /// Moves an entry where the back end does that. That one which promises to move can do it is a law of its own.
  ///
  /// - Returns: whether it was moved.
  func moveIfPossible(
    _ source: String, to destination: String, by client: (any SyncBackend)? = nil
  ) async throws -> Bool {
    do {
      try await (client ?? backend).move(path(source), to: path(destination))
      return true
    } catch let error as BackendError where error.code == .unsupported {
      return false
    }
  }

  /// The listed names, sorted.
  func names(in folder: String, for client: (any SyncBackend)? = nil) async throws -> [String] {
    try await (client ?? backend).list(path(folder)).entries.map(\.name.description).sorted()
  }

  /// What is listed in a folder that should be empty. That an empty folder is not absent is a law of its own.
  func remaining(in folder: String, for client: (any SyncBackend)? = nil) async throws -> [String] {
    do {
      return try await names(in: folder, for: client)
    } catch let error as BackendError {
      guard error.code == .notFound else { throw error }
      return []
    }
  }

  /// The same of a folder that was moved a moment ago: storage may still be busy with it, and says so.
  func settled(in folder: String) async throws -> [String] {
    for _ in 0..<20 {
      do {
        return try await remaining(in: folder)
      } catch let error as BackendError where error.code.isTransient {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    return try await remaining(in: folder)
  }

  func isPresent(_ path: RemotePath, for client: (any SyncBackend)? = nil) async throws -> Bool {
    do throws(BackendError) {
      _ = try await (client ?? backend).stat(path)
      return true
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  func expectContent(_ bytes: [UInt8], at path: String, for client: (any SyncBackend)? = nil) async throws {
    let found = try await (client ?? backend).download(self.path(path), limit: max(bytes.count, 1))
    try expect(
      Self.areSame(found, bytes),
      "\(path) has \(found.count) bytes that differ from the \(bytes.count) written")
  }

  /// Like `expectContent`, of a file that a request was not about.
  func expectUntouched(_ bytes: [UInt8], at path: String, by what: String) async throws {
    do { try await expectContent(bytes, at: path) } catch {
      throw ConformanceFailure(description: "\(what) changed “\(path)”: \(error)")
    }
  }

  /// Leaves the storage alone for a while, which is not the silence of a law that hangs.
  func leaveAlone(for duration: Duration) async throws {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {
      activity.note()
      try await Task.sleep(for: min(.milliseconds(100), end - .now))
    }
  }

  /// Waits as long as the storage may lag for something to become true.
  func eventually(_ otherwise: String, _ condition: () async throws -> Bool) async throws {
    let start = ContinuousClock.now
    while try await !condition() {
      try expect(ContinuousClock.now - start < storage.lag, otherwise)
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Whether bytes are the same, at once: `==` of arrays takes one after the other where nothing is optimised.
  static func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count
      && left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
          guard let start = left.baseAddress, let other = right.baseAddress else { return true }
          return memcmp(start, other, left.count) == 0
        }
      }
  }

  /// Bytes without a pattern that a storage could compress away or mistake for text; of different seeds, different ones.
  static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var start = Int(seed &* 0x9e37_79b9_7f4a_7c15 % UInt64(noise.count))
    while bytes.count < count {
      bytes += noise[start..<min(start + count - bytes.count, noise.count)]
      start = 0
    }
    return bytes
  }

  /// Made once, for that takes longer than most laws. Their number is prime, so that no two pieces of a file are alike.
  private static let noise: [UInt8] = {
    var state: UInt64 = 0
    // SplitMix64 (Steele, Lea and Flood, 2014).
    let words = (0..<125_001).map { _ in
      state &+= 0x9e37_79b9_7f4a_7c15
      var word = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
      return word ^ word >> 31
    }
    return words.withUnsafeBytes { Array($0.prefix(1_000_003)) }
  }()
}

/// Ends a check without a result.
struct LawSkipped: Error {
  let reason: String
}
