import Crypto
import Synchronization
import ByteFixtures

/// Random bytes that are the same for the same seed.
final class SeededRandomSource: RandomSource {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    let bytes = generator.withLock { $0.bytes(buffer.count) }
    buffer.copyBytes(from: bytes)
  }
}

/// A source that is exhausted.
struct NoEntropy: RandomSource {
  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    throw CryptoError(.primitiveFailure, "no entropy")
  }
}
