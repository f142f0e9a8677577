import TICDSHTTP
import Locking

/// Keeps a file in memory, refusing what may be none.
final class BytesReceiver: BodyReceiver {
  private let memory: MemoryReceiver
  private let expected: Int64?
  private let page = Locked(false)

  /// - Parameters:
  ///   - limit: greatest size in bytes.
  ///   - expected: how long a listing says that the file is, if it has been asked for: then a page is taken for a file, and an answer that
  ///     announces another length is refused.
  init(limit: Int, expected: Int64?) {
    memory = MemoryReceiver(limit: limit)
    self.expected = expected
  }

  var isPage: Bool { page.withLock { $0 } }
  func take() -> [UInt8] { memory.take() }

  func begin(_ head: HTTPHead) throws(HTTPError) {
    try FileReceiver.check(head)
    if HTTPHead.isPage(head), expected == nil {
      page.withLock { $0 = true }
      throw HTTPError(.malformed, "the answer is a page")
    }
    if let expected, let length = head.contentLength, length != expected {
      throw HTTPError(.malformed, "the answer has \(length) bytes and the file \(expected)")
    }
    try memory.begin(head)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) { try memory.receive(bytes) }
}
