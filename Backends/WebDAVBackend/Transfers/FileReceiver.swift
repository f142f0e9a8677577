import Foundation
import TICDSHTTP
import Locking
import SyncProtocol

/// Writes a body into a local file that takes its name when the body is complete.
final class FileReceiver: BodyReceiver {
  /// Why a body is not taken as it comes.
  enum Doubt: Equatable, Sendable {
    /// It looks like a page that the server made of a folder, or that somebody put in between.
    case page
    /// Nobody says how long it is, so that it might never end.
    case unknownLength
  }

  private struct State: Sendable {
    var handle: FileHandle?
    var count: Int64 = 0
    var reported: Int64 = 0
    var total: Int64?
    var etag: String?
    var doubt: Doubt?
  }

  private static let reportInterval: Int64 = 1 << 20
  private let file: String
  private let temporary: String
  private let progress: TransferProgress
  private let expected: RemoteEntry?
  private let state = Locked(State())

  /// - Parameters:
  ///   - expected: what a listing says of the file, if it has been asked for: then a page is taken for a file, and a body
  ///     without length is taken as far as the listing says.
  init(_ file: String, expected: RemoteEntry?, progress: @escaping TransferProgress) {
    self.file = file
    self.expected = expected
    self.progress = progress
    temporary = file + "." + TemporaryName.make()
  }

  var doubt: Doubt? { state.withLock { $0.doubt } }
  /// What a listing says of its length.
  var expectedSize: Int64? { expected?.size }
  var count: Int64 { state.withLock { $0.count } }

  /// The fields with which a transfer goes on that broke off; `nil` if it must begin anew. Only a strong ETag says that the
  /// content is still the same.
  var resumption: [(name: String, value: String)]? {
    state.withLock { state in
      guard state.count > 0, let etag = state.etag, etag.hasPrefix("\"") else { return nil }
      return [("Range", "bytes=\(state.count)-"), ("If-Range", etag)]
    }
  }

  func begin(_ head: HTTPHead) throws(HTTPError) {
    try Self.check(head)
    let page = HTTPHead.isPage(head) && expected == nil
    let length = head.contentLength ?? (expected?.size).flatMap { head.status == 200 ? $0 : nil }
    try state.withLock { state throws(HTTPError) in
      state.doubt = page ? .page : length == nil ? .unknownLength : nil
      guard let length, !page else { throw HTTPError(.malformed, "the answer may be no file") }
      if let size = expected?.size, head.status == 200, size != length {
        throw HTTPError(.malformed, "the answer has \(length) bytes and the file \(size)")
      }
      if head.status == 206 {
        guard let start = Self.start(head["content-range"]), start == state.count, state.count > 0,
          head["etag"] == nil || head["etag"] == state.etag
        else { throw HTTPError(.malformed, "the server goes on with another part than was asked for") }
      } else {
        try Self.open(temporary, &state)
        state.etag = head["etag"]
      }
      let (total, isOver) = state.count.addingReportingOverflow(length)
      guard !isOver, head.status == 200 || total == state.total else {
        throw HTTPError(.malformed, "the server goes on with another length than it told first")
      }
      state.total = total
    }
  }

  private static func open(_ path: String, _ state: inout State) throws(HTTPError) {
    if let handle = state.handle {
      do {
        try handle.truncate(atOffset: 0)
      } catch { throw .localFile("“\(path)” cannot be written") }
    } else {
      // Only this user may read it.
      guard
        FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
        let handle = FileHandle(forWritingAtPath: path)
      else { throw .localFile("“\(path)” cannot be written") }
      state.handle = handle
    }
    state.count = 0
    state.reported = 0
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
    let report = try state.withLock { state throws(HTTPError) in
      guard let handle = state.handle, state.count + Int64(bytes.count) <= state.total ?? 0 else {
        throw HTTPError(.malformed, "the body is longer than the server says")
      }
      var rest = bytes
      while !rest.isEmpty {
        let written = write(handle.fileDescriptor, rest.baseAddress, rest.count)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else {
          throw HTTPError.localFile("“\(temporary)” cannot be written")
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
      state.count += Int64(bytes.count)
      guard state.count - state.reported >= Self.reportInterval else { return Int64?.none }
      state.reported = state.count
      return state.count
    }
    if let report { progress(report) }
  }

  /// Moves the file to its name.
  func finish() throws(HTTPError) {
    try state.withLock { state throws(HTTPError) in
      guard let handle = state.handle, state.count == state.total else {
        throw HTTPError(.cutShort, "the file ended after \(state.count) of \(state.total ?? 0) bytes")
      }
      guard fsync(handle.fileDescriptor) == 0, rename(temporary, file) == 0 else {
        throw HTTPError.localFile("“\(file)” cannot be replaced")
      }
      state.handle = nil
    }
    progress(count)
  }

  /// Removes what has come, unless it has its name.
  func discard() {
    state.withLock { state in
      guard state.handle != nil else { return }
      state.handle = nil
      unlink(temporary)
    }
  }

  /// Refuses what cannot be the file as it is.
  static func check(_ head: HTTPHead) throws(HTTPError) {
    guard head.status == 200 || head.status == 206 else {
      throw HTTPError(.malformed, "a file came with HTTP status \(head.status)")
    }
    if let encoding = head["content-encoding"], encoding.lowercased() != "identity" {
      throw HTTPError(.malformed, "the file came encoded as \(encoding.prefix(20)), which was not asked for")
    }
  }

  /// The first number of `bytes 5-9/10`.
  private static func start(_ range: String?) -> Int64? {
    guard let range, let match = range.wholeMatch(of: /bytes (\d{1,18})-\d+\/(\d+|\*)/) else { return nil }
    return Int64(match.1)
  }
}

extension HTTPHead {
  /// Whether it is a page to look at. Servers make such of folders, and networks put such in between.
  static func isPage(_ head: HTTPHead) -> Bool { head.mediaType == "text/html" }
}
