import ByteFixtures
import Foundation
import Synchronization
import SyncProtocol

/// Storage whose files are intact and at times read otherwise, as through a bad cable, memory or proxy: one byte is changed.
final class FlakyReadings: WrappingBackend {
  /// Which readings of each file are bad.
  enum Mode: Sendable, CaseIterable {
    case first, second, odd
    /// One in three, each in another way.
    case atRandom
  }

  let base: any SyncBackend
  private let mode: Mode
  private let state: Mutex<(random: SeededGenerator, counts: [RemotePath: Int])>

  init(_ base: any SyncBackend, _ mode: Mode, seed: UInt64 = 0) {
    self.base = base
    self.mode = mode
    state = Mutex((SeededGenerator(seed: seed), [:]))
  }

  private func reading(_ path: RemotePath, _ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    return state.withLock { state in
      let number = state.counts[path, default: 0] + 1
      state.counts[path] = number
      var bytes = bytes
      switch mode {
      case .first where number == 1, .second where number == 2, .odd where number % 2 == 1:
        bytes[bytes.count / 2] ^= 0x55
      case .atRandom where Int.random(in: 0..<3, using: &state.random) == 0:
        bytes[Int.random(in: bytes.indices, using: &state.random)] ^= .random(
          in: 1...255, using: &state.random)
      default: break
      }
      return bytes
    }
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    reading(path, try await base.download(path, limit: limit))
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.download(path, toFile: localPath, progress: progress)
    do {
      let count = Int(LocalFile.size(of: localPath) ?? 0)
      let bytes = reading(path, try LocalFile.beginning(of: localPath, count: count))
      try Data(bytes).write(to: URL(filePath: localPath))
    } catch {
      throw BackendError(.localFile, path: path)
    }
  }

  var capabilities: BackendCapabilities { base.capabilities }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing { try await base.list(folder) }

  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry { try await base.stat(path) }

  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await base.upload(bytes, to: path)
  }

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.upload(file: localPath, to: path, progress: progress)
  }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await base.createIfAbsent(bytes, at: path)
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.createIfAbsent(file: localPath, at: path, progress: progress)
  }

  func makeDirectory(_ path: RemotePath) async throws(BackendError) { try await base.makeDirectory(path) }

  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await base.move(source, to: destination)
  }

  func remove(_ path: RemotePath) async throws(BackendError) { try await base.remove(path) }
}
