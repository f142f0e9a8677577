import HTTP
import Locking

/// Reads a 207 answer as it arrives.
final class MultistatusReceiver: BodyReceiver {
  private let reader: Locked<MultistatusReader>
  private let isNeeded: Bool
  private let limits: XMLLimits

  /// - Parameters:
  ///   - isNeeded: whether another answer of success is refused. A page with status 200 comes from what is no WebDAV server, as
  ///     the portal of a hotel.
  ///   - limits: how much is read.
  init(isNeeded: Bool, _ limits: XMLLimits) {
    self.isNeeded = isNeeded
    self.limits = limits
    reader = Locked(MultistatusReader(limits: limits))
  }

  func begin(_ head: HTTPHead) throws(HTTPError) {
    reader.withLock { $0 = MultistatusReader(limits: limits) }
    guard head.status == 207 || !isNeeded else {
      throw HTTPError(
        .malformed, "the answer is no list of entries: status \(head.status), \(head.mediaType ?? "no type")")
    }
    isMultistatus.withLock { $0 = head.status == 207 }
  }

  private let isMultistatus = Locked(false)

  func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
    guard isMultistatus.withLock({ $0 }) else { return }
    do {
      try reader.withLock { reader in try reader.read(bytes) }
    } catch {
      throw HTTPError(.malformed, "the list of entries cannot be read: \(error)")
    }
  }

  func responses() throws(HTTPError) -> [MultistatusResponse] {
    guard isMultistatus.withLock({ $0 }) else { return [] }
    do {
      return try reader.withLock { reader in try reader.finish() }
    } catch {
      throw HTTPError(.cutShort, "the list of entries cannot be read: \(error)")
    }
  }
}
