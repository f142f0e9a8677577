import HTTP
import Locking

/// Keeps a file in memory, refusing what may be none.
final class BytesReceiver: BodyReceiver {
  private let memory: MemoryReceiver
  private let acceptsPages: Bool
  private let page = Locked(false)
  private let unmeasured = Locked(false)

  init(limit: Int, acceptsPages: Bool) {
    memory = MemoryReceiver(limit: limit)
    self.acceptsPages = acceptsPages
  }

  var isPage: Bool { page.withLock { $0 } }
  /// Whether nobody has said how long it is, so that it might never end.
  var isUnmeasured: Bool { unmeasured.withLock { $0 } }
  func take() -> [UInt8] { memory.take() }

  func begin(_ head: HTTPHead) throws(HTTPError) {
    try FileReceiver.check(head)
    unmeasured.withLock { $0 = head.contentLength == nil }
    if HTTPHead.isPage(head), !acceptsPages {
      page.withLock { $0 = true }
      throw HTTPError(.malformed, "the answer is a page")
    }
    try memory.begin(head)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) { try memory.receive(bytes) }
}
