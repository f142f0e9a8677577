import CTICDSOpenSSL
import Locking

/// The state of one hash computation. Not safe to use from two threads at once; safe to hand from one to another,
/// which is all that the pool does, hence the unchecked conformance.
struct DigestContext: @unchecked Sendable {
  private let pointer: OpaquePointer

  init() {
    // Fails only for want of memory, as Swift's own allocations would.
    guard let pointer = EVP_MD_CTX_new() else { preconditionFailure("no memory for a digest") }
    self.pointer = pointer
  }

  @inline(__always)
  func start(_ algorithm: Library.Shared) {
    require(EVP_DigestInit_ex2(pointer, algorithm.pointer, nil) == 1, "digest")
  }

  @inline(__always)
  func update(_ bytes: UnsafeRawBufferPointer) {
    require(EVP_DigestUpdate(pointer, bytes.baseAddress, bytes.count) == 1, "digest")
  }

  /// Writes the digest; the buffer has the algorithm's digest size.
  @inline(__always)
  func finish(into digest: UnsafeMutableRawBufferPointer) {
    require(EVP_DigestFinal_ex(pointer, digest.baseAddress, nil) == 1, "digest")
  }

  func free() { EVP_MD_CTX_free(pointer) }
}

/// Contexts waiting for their next use: making one costs more than hashing a small input.
///
/// One pool per algorithm, because a context keeps its provider state only for the same algorithm.
final class DigestContextPool: Sendable {
  private static let limit = 16
  private let idle = Locked<[DigestContext]>([])

  func take() -> DigestContext {
    idle.withLock { $0.popLast() } ?? DigestContext()
  }

  func giveBack(_ context: DigestContext) {
    let kept = idle.withLock { idle in
      guard idle.count < Self.limit else { return false }
      idle.append(context)
      return true
    }
    if !kept { context.free() }
  }
}
