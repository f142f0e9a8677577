import Crypto
import Synchronization

/// Returns prepared bytes in the order in which they are asked for.
final class PreparedRandomSource: RandomSource {
  private let rest: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) { rest = Mutex(bytes) }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    let bytes = rest.withLock { rest in
      defer { rest.removeFirst(min(buffer.count, rest.count)) }
      return Array(rest.prefix(buffer.count))
    }
    guard bytes.count == buffer.count else { throw CryptoError(.primitiveFailure, "nothing is left") }
    buffer.copyBytes(from: bytes)
  }
}
