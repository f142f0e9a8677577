import TICDSHTTP
import Locking
import XMLReading

/// Reads a 207 answer as it arrives, and lets the few words pass that servers say in another one.
final class MultistatusReceiver: BodyReceiver {
  /// What is read of a list of entries.
  struct Extent: Sendable {
    var document = XMLLimits()
    var entries = MultistatusContent.entryLimit
    /// Whether what lies beyond is left out, or makes the answer a failure.
    var mayCut = false
  }

  private struct State: Sendable {
    var reader: MultistatusReader
    var isMultistatus = false
    var isCut = false
    var unread = 0
  }

  private static let unreadLimit = 64 << 10
  private let isNeeded: Bool
  private let extent: Extent
  private let state: Locked<State>

  /// - Parameters:
  ///   - isNeeded: whether another answer of success is refused. A page with status 200 comes from what is no WebDAV server, as
  ///     the portal of a hotel.
  ///   - extent: how much is read.
  init(isNeeded: Bool, _ extent: Extent) {
    self.isNeeded = isNeeded
    self.extent = extent
    state = Locked(State(reader: Self.reader(extent)))
  }

  private static func reader(_ extent: Extent) -> MultistatusReader {
    MultistatusReader(limits: extent.document, entries: extent.entries)
  }

  func begin(_ head: HTTPHead) throws(HTTPError) {
    let isMultistatus = head.status == 207
    state.withLock { $0 = State(reader: Self.reader(extent), isMultistatus: isMultistatus) }
    guard isMultistatus || !isNeeded else {
      throw HTTPError(
        .malformed, "the answer is no list of entries: status \(head.status), \(head.mediaType ?? "no type")")
    }
  }

  /// Whether the answer is refused because it is no list of entries.
  var isOther: Bool { isNeeded && !state.withLock { $0.isMultistatus } }
  /// Whether there was more than was read.
  var isCut: Bool { state.withLock { $0.isCut } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
    let error: HTTPError? = state.withLock { state in
      state.isMultistatus ? read(bytes, &state) : letPass(bytes.count, &state)
    }
    if let error { throw error }
  }

  private func read(_ bytes: UnsafeRawBufferPointer, _ state: inout State) -> HTTPError? {
    do {
      try state.reader.read(bytes)
      return nil
    } catch let error as XMLError where error.isTooLarge {
      state.isCut = true
      return HTTPError(
        extent.mayCut ? .enough : .tooLarge, "the list of entries is too long: \(error.reason)")
    } catch {
      return HTTPError(.malformed, "the list of entries cannot be read: \(error)")
    }
  }

  private func letPass(_ count: Int, _ state: inout State) -> HTTPError? {
    state.unread += count
    return state.unread <= Self.unreadLimit
      ? nil : HTTPError(.malformed, "an answer that nobody reads has more than \(Self.unreadLimit) bytes")
  }

  func responses() throws(HTTPError) -> [MultistatusResponse] {
    try state.withLock { state throws(HTTPError) in
      guard state.isMultistatus else { return [] }
      guard !state.isCut else { return state.reader.responses }
      do {
        return try state.reader.finish()
      } catch {
        throw HTTPError(.cutShort, "the list of entries cannot be read: \(error)")
      }
    }
  }
}
