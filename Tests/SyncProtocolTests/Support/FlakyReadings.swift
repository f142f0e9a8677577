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

  /// Nothing, so that each file is read by itself.
  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] { [:] }
}
