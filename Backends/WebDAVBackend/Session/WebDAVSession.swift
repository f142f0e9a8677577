import Foundation
import TICDSHTTP
import Locking
import SyncProtocol
import XMLReading

/// Carries out requests in terms of WebDAV: makes addresses and bodies, sends, and reads what comes back.
final class WebDAVSession: Sendable {
  let client: HTTPClient
  private let root: Locked<WebDAVRoot>
  private let limits: XMLLimits

  init(_ client: HTTPClient, _ address: HTTPAddress, limits: XMLLimits = XMLLimits()) {
    self.client = client
    self.limits = limits
    root = Locked(WebDAVRoot(address))
  }

  func address(of target: Target) -> HTTPAddress { root.withLock { $0.address(of: target) } }

  /// Sends a request about a target, and remembers for as long as the session lasts when the server says that all has moved.
  func send(
    _ method: String, _ target: Target, fields: [(name: String, value: String)] = [],
    receiver: some BodyReceiver, adjust: (inout HTTPRequest) -> Void = { _ in }
  ) async throws(HTTPError) -> HTTPResponse {
    var request = HTTPRequest(method, address(of: target), fields: fields)
    adjust(&request)
    let response = try await client.send(request, receiver: receiver)
    guard response.head.status != 401 || client.hasCredentials else {
      throw HTTPError(.noCredentials, "HTTP status 401, and there are no credentials")
    }
    if response.isMovedForGood, response.head.isSuccess {
      root.withLock { root in root = root.moved(target, to: response.address) ?? root }
    }
    return response
  }

  /// Carries out one request of an operation.
  ///
  /// - Parameters:
  ///   - body: what a `PUT` sends.
  ///   - progress: told how much of it has gone.
  func perform(
    _ request: DAVRequest, body: HTTPRequest.Body = .none, progress: TransferProgress? = nil
  ) async -> DAVReply {
    do throws(HTTPError) {
      switch request {
      case .put(let target, let ifAbsent):
        return try await answer("PUT", target, ifAbsent ? [("If-None-Match", "*")] : []) { request in
          request.body = body
          request.progress = progress
        }
      case .move(let source, let destination, let replacing):
        let address = address(of: destination)
        return try await answer("MOVE", source, [("Overwrite", replacing ? "T" : "F")]) {
          $0.destination = address
          $0.expectedLength = Self.failuresLength
        }
      case .makeFolder(let path): return try await answer("MKCOL", Target(path, isFolder: true))
      case .delete(let target):
        return try await answer("DELETE", target) { $0.expectedLength = Self.failuresLength }
      case .look(let path):
        do throws(Failure) {
          return .found(try await look(path).kind)
        } catch {
          return [.notFound, .notADirectory].contains(error.code) ? .found(nil) : .failed(error)
        }
      }
    } catch {
      return .failed(Failure(error))
    }
  }

  private func answer(
    _ method: String, _ target: Target, _ fields: [(name: String, value: String)] = [],
    adjust: (inout HTTPRequest) -> Void = { _ in }
  ) async throws(HTTPError) -> DAVReply {
    let receiver = MultistatusReceiver(isNeeded: false, .init(document: limits))
    let response = try await send(method, target, fields: fields, receiver: receiver) { request in
      request.expectedLength = Self.entryLength
      adjust(&request)
    }
    // A network that wants somebody to log in answers everything with a page. Servers say 201 or 204, with a page or without.
    if response.head.status == 200, HTTPHead.isPage(response.head) {
      return .failed(Failure(.damaged, "a page came in place of an answer", .findWebDAV))
    }
    // 207: some of what was moved or removed was not. The reason counts, not what merely depends on it (424).
    let failures = try receiver.responses().compactMap { $0.status ?? $0.missingStatus }.filter { $0 >= 400 }
    let status = failures.first { $0 != 424 } ?? failures.first ?? response.head.status
    return .status(status, retryAfter: DAVReply.pause(in: response.head))
  }

  // MARK: - Asking what lies there

  /// What a server says of a folder and its entries, or of one entry.
  struct Found {
    let responses: [MultistatusResponse]
    /// Whether there was more than was read.
    let isCut: Bool
    let address: HTTPAddress
    /// By the server's clock.
    let now: Int64?
  }

  /// How many entries are read for whoever takes a part of a folder for all that there is time for.
  private static let pageLimit = 50_000
  /// About how long an answer may be whose head does not say it, so that it does not take for ever: that of one entry, a list of what of a
  /// folder could not be moved or removed, and a list of entries, which may take 20 minutes.
  private static let (entryLength, failuresLength, listLength): (Int64, Int64, Int64) = (
    4 << 10, 64 << 10, 1 << 20
  )

  /// Asks for a folder's entries, or for one entry. Only the properties that are needed, for all take twice the bytes.
  ///
  /// - Parameters:
  ///   - target: what is asked about.
  ///   - depth: 1 for a folder with its entries, 0 for one entry.
  ///   - versions: whether ETags are wanted.
  ///   - isPage: whether a part of the entries will do where there are very many.
  func find(
    _ target: Target, depth: Int, versions: Bool, isPage: Bool = false
  ) async throws(Failure) -> Found {
    var extent = MultistatusReceiver.Extent(document: limits)
    if isPage { (extent.entries, extent.mayCut) = (Self.pageLimit, true) }
    let receiver = MultistatusReceiver(isNeeded: true, extent)
    // Without a depth, all that lies below is meant.
    let fields = [
      ("Depth", "\(depth)"), ("Content-Type", "application/xml; charset=utf-8"),
      ("Cache-Control", "no-cache"),
    ]
    let response: HTTPResponse
    do {
      response = try await send("PROPFIND", target, fields: fields, receiver: receiver) { request in
        request.body = .bytes(versions ? Self.propertiesWithVersions : Self.properties)
        request.acceptsCompression = depth > 0
        request.expectedLength = depth > 0 ? Self.listLength : Self.entryLength
      }
    } catch {
      throw Self.failure(of: error, receiver)
    }
    if var failure = DAVReply(response.head).failure {
      switch failure.code {
      case .unsupported:
        failure = await isRootGone(target) ? .goneRoot(failure.detail) : failure.with(.findWebDAV)
      // No condition was sent, so none can have failed.
      case .alreadyExists: failure = Failure(.unreachable, failure.detail, .expectAnswer)
      // Room is needed for what is written; a server that lacks it for its answer says nothing of what lies there.
      case .quotaExceeded: failure = failure.withoutFile(needsRoom: false)
      default: break
      }
      throw failure
    }
    do {
      return Found(
        responses: try receiver.responses(), isCut: receiver.isCut, address: response.address,
        now: response.head["date"].flatMap(HTTPDate.seconds))
    } catch {
      throw Self.failure(of: error, receiver)
    }
  }

  private static func failure(of error: HTTPError, _ receiver: MultistatusReceiver) -> Failure {
    switch error.code {
    case .tooLarge: Failure(.tooLarge, error.detail, .emptyFolder)
    // Nothing is wrong with what lies there.
    case .cutShort: Failure(.unreachable, error.detail, .expectAnswer)
    case .malformed where receiver.isOther: Failure(.damaged, error.detail, .findWebDAV)
    default: Failure(error)
    }
  }

  /// What lies at a path; throws `notFound` if nothing does, and `notADirectory` if it would lie below a file.
  func look(_ path: RemotePath, versions: Bool = false) async throws(Failure) -> RemoteEntry {
    do throws(Failure) {
      return try await entry(path, versions)
    } catch {
      // Below files, servers answer what they like.
      guard [.forbidden, .failed, .unsupported].contains(error.code), let parent = path.parent,
        parent != .root
      else { throw error }
      guard try await look(parent).kind == .folder else { throw Failure(.notADirectory, error.detail) }
      throw error
    }
  }

  private func entry(_ path: RemotePath, _ versions: Bool) async throws(Failure) -> RemoteEntry {
    let found = try await find(Target(path), depth: 0, versions: versions)
    // The root has no name, and none is needed.
    guard let name = path.name ?? RemoteName("root") else { throw Failure(.failed) }
    do {
      return try FolderContent.entry(found.responses, named: name, at: found.address, trustsETags: versions)
    } catch {
      throw Failure(error)
    }
  }

  private static let properties = body("<resourcetype/><getcontentlength/><getlastmodified/>")
  private static let propertiesWithVersions = body(
    "<resourcetype/><getcontentlength/><getlastmodified/><getetag/>")

  private static func body(_ properties: String) -> [UInt8] {
    Array(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><propfind xmlns=\"DAV:\"><prop>\(properties)</prop></propfind>"
        .utf8)
  }
}

extension DAVReply {
  /// The status of an answer, and how long it asks to wait.
  init(_ head: HTTPHead) { self = .status(head.status, retryAfter: Self.pause(in: head)) }

  fileprivate static func pause(in head: HTTPHead) -> Duration? {
    RetryAfter.pause(in: head, now: Int64(Date().timeIntervalSince1970))
  }
}

extension Failure {
  init(_ refusal: FolderContent.Refusal) {
    switch refusal {
    case .absent: self.init(.notFound)
    case .isFile: self.init(.notADirectory)
    case .damaged(let detail): self.init(.damaged, detail, .expectAnswer)
    }
  }
}
