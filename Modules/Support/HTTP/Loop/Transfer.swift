import CTICDSCurl

/// One attempt at a request while libcurl carries it out. Lives on the thread of an ``EventLoop``, which calls it back there.
final class Transfer {
  let job: TransferJob
  let handle: UnsafeMutableRawPointer
  let configuration: HTTPConfiguration
  var fields: UnsafeMutablePointer<curl_slist>?
  /// Servers send some hundred bytes.
  private static let headLimit = 256 << 10
  /// How much of a refusal's body is let pass, so that its connection can be used again; what goes on is cut off.
  private static let unreadLimit = 64 << 10
  /// How often one request may be refused for want of credentials. libcurl sends it again each time that a server calls its nonce stale, and
  /// once a nonce has run out that is right.
  private static let refusalLimit = 4
  private var refusals = 0
  private var headSize = 0
  private var unread = 0
  /// How much of the answer's body has come.
  private var received: Int64 = 0
  private var isCutOff = false
  private var reader = HeadReader()
  private var source: BodySource
  private var isReceiving = false
  /// When the answer began. Time in which the device sleeps does not count.
  private var beginning: SuspendingClock.Instant?
  private var hasSent = false
  /// When the whole body had been given away.
  private var hasGiven: SuspendingClock.Instant?
  private let sockets: OpenSockets
  private var socket: curl_socket_t?
  /// Whether the connection that was chosen cannot be used, and another one is to be tried.
  private var needsFreshConnection = false
  private var hasFreshConnection = false
  private var avoidsHTTP2 = false
  private var failure: HTTPError?
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init(
    _ job: TransferJob, _ handle: UnsafeMutableRawPointer, _ configuration: HTTPConfiguration,
    _ sockets: OpenSockets
  ) {
    self.job = job
    self.sockets = sockets
    self.handle = handle
    self.configuration = configuration
    source = BodySource(job.body)
    message.pointee = 0
  }

  deinit { message.deallocate() }

  /// Sets all options. Returns what stands against the request.
  func prepare() -> HTTPError? {
    do {
      try source.open()
    } catch {
      return error
    }
    ticds_curl_set_text(handle, CURLOPT_URL, job.address.description)
    ticds_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
    // The loop holds the transfer until it has taken the handle out, so libcurl never sees it freed.
    let context = Unmanaged.passUnretained(self).toOpaque()
    ticds_curl_set_callbacks(
      handle, TransferCallbacks.header, TransferCallbacks.write, TransferCallbacks.read,
      TransferCallbacks.seek,
      context)
    ticds_curl_set_before(handle, TransferCallbacks.before, context)
    sockets.register(handle)
    return EasyOptions(self, bodySize: source.size).set()
  }

  /// Prepares another attempt where the first came to nothing through no fault of the request.
  ///
  /// - Parameter code: how the first ended.
  /// - Returns: whether there is to be another.
  func beginAgain(after code: CURLcode) -> Bool {
    switch code {
    case CURLE_ABORTED_BY_CALLBACK where needsFreshConnection:
      // Nothing has been sent yet.
      needsFreshConnection = false
      hasFreshConnection = true
      ticds_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 1)
      return true
    case CURLE_HTTP2 where mayAvoidHTTP2, CURLE_HTTP2_STREAM where mayAvoidHTTP2:
      // A server may answer over HTTP/2 before it has the body (Apache redirects in that way), and libcurl up to 7.88 then
      // drops the answer.
      avoidsHTTP2 = true
      ticds_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
      return source.seek(to: 0)
    case CURLE_SEND_ERROR where mayLeaveKeptConnections, CURLE_RECV_ERROR where mayLeaveKeptConnections,
      CURLE_GOT_NOTHING where mayLeaveKeptConnections:
      // libcurl goes on to another connection that was kept, of which a server may close all at once, and gives up after five.
      hasFreshConnection = true
      ticds_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 1)
      return source.seek(to: 0)
    default: return false
    }
  }

  private var mayAvoidHTTP2: Bool { !avoidsHTTP2 && isUnanswered }
  private var mayLeaveKeptConnections: Bool { !hasFreshConnection && usesKeptConnection && isUnanswered }
  /// Whether nobody has seen anything of an answer to a request that may be sent twice.
  private var isUnanswered: Bool { failure == nil && reader.head == nil && job.isRepeatable }

  /// Whether the connection was there before this request. Asked once the request has ended.
  private var usesKeptConnection: Bool {
    var made = 0
    return ticds_curl_get_long(handle, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK && made == 0
  }

  /// Lets go of what only this attempt needs.
  func release() {
    if let socket { sockets.noteEnd(on: socket) }
    source.close()
    ticds_curl_set_list(handle, CURLOPT_HTTPHEADER, nil)
    ticds_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil)
    curl_slist_free_all(fields)
    fields = nil
  }

  func fail(_ error: HTTPError) { failure = failure ?? error }

  /// What became of it.
  func result(_ code: CURLcode) -> Result<HTTPHead, HTTPError> {
    if let failure { return .failure(failure) }
    if isCutOff, let head = reader.head { return .success(head) }
    guard code == CURLE_OK else {
      let error = HTTPError(
        code, String(cString: message), job.address,
        mayUseProxy: configuration.proxy.isGiven(for: job.address.scheme), proxyStatus: proxyStatus)
      return .failure(mayLackCertificate ? error.asOfMissingCertificate(hasBegunTLS: hasSent) : error)
    }
    guard let head = reader.head else { return .failure(HTTPError(.malformed, "the answer has no head")) }
    if head.isSuccess, !isReceiving {
      do throws(HTTPError) { try job.receiver.begin(head) } catch { return .failure(error) }
    }
    return .success(head)
  }

  /// Whether the server may have gone silent because it wants a certificate of this client and got none: it has never answered, and there is
  /// none. Some servers then break the connection in place of saying so.
  private var mayLackCertificate: Bool {
    job.address.scheme == .https && configuration.clientCertificate == nil && !job.hasAnswered
      && reader.head == nil
  }

  /// What a proxy has answered that was asked for a tunnel; 0 if none was.
  private var proxyStatus: Int {
    var status = 0
    return ticds_curl_get_long(handle, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0
  }

  /// Returns whether there is time left for the answer; fails it otherwise. Asked whenever something has come: whether nothing comes is
  /// libcurl's to see.
  private func hasTime() -> Bool {
    guard let expected = job.expectedLength, isAnswering else { return true }
    let now = SuspendingClock.now
    guard let beginning else {
      beginning = now
      return true
    }
    let (time, announced) = (now - beginning, reader.head?.contentLength)
    if job.doubtsLength, let announced,
      AnswerSpeed.isDoubtful(length: announced, count: received, after: time - configuration.answerLimit)
    {
      fail(
        HTTPError(
          .tooSlow,
          "of \(announced) bytes that the server announced \(received) came in \(time.components.seconds) seconds"
        ))
      return false
    }
    let limit = configuration.answerLimit + .seconds(AnswerSpeed.seconds(for: announced ?? expected))
    guard time > limit else { return true }
    fail(HTTPError(.tooSlow, "the answer was not complete after \(limit.components.seconds) seconds"))
    return false
  }

  /// Whether what comes belongs to the answer itself. Before a body has gone, servers ask for it (100), and while they work on it they may
  /// say so (102): of that there may be any number, as long as it does not fill a head.
  private var isAnswering: Bool {
    guard let status = reader.head?.status, status >= 200 else { return false }
    return status >= 300 || hasGiven != nil || source.offset == 0
  }

  // MARK: - What libcurl calls

  /// Returns whether the request may be sent.
  ///
  /// If a connection that was kept breaks before an answer comes, libcurl sends the request again on another one, and says nothing.
  /// What is done twice then finds what it did itself: a second `MOVE` its destination, a second `DELETE` nothing.
  /// And a connection that was closed, or on which something lies already that would be taken for the answer, is given up; for what must
  /// not be sent twice also one that the server may be about to close, since nobody used it.
  ///
  /// - Parameter port: that of the connection on this side.
  func maySend(from port: Int32) -> Bool {
    socket = sockets.socket(atPort: port)
    if !hasFreshConnection, let socket,
      sockets.isSpent(socket) || (!job.isRepeatable && sockets.isIdle(socket, for: configuration.idleLimit))
    {
      needsFreshConnection = true
      return false
    }
    reader.expectAnswer()
    defer { hasSent = true }
    guard hasSent, reader.head == nil, !job.isRepeatable else { return true }
    fail(HTTPError(.connectionLost, "the connection broke before an answer came"))
    return false
  }

  /// Returns whether to go on. Interim answers count, of which there may be any number, and so do fields after the body.
  func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headSize += bytes.count
    guard headSize <= Self.headLimit else {
      fail(HTTPError(.malformed, "the head of the answer has more than \(Self.headLimit) bytes"))
      return false
    }
    let line = String(decoding: bytes, as: UTF8.self)
    let kind = reader.read(line)
    guard hasTime() else { return false }
    switch kind {
    case .beginning:
      isReceiving = false
      if isAnswering { expectSpeed() }
      if let socket { sockets.note(line, on: socket) }
    case .end where reader.head?.status == 401:
      refusals += 1
      isCutOff = refusals == Self.refusalLimit
    case .end, .field, .trailer: break
    }
    return !isCutOff
  }

  /// Returns whether to go on.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // What few bytes are unpacked to may keep this thread for long, before it hears of the cancellation otherwise.
    guard !job.cancellation.isSet else {
      fail(HTTPError(.cancelled, "the request was cancelled"))
      return false
    }
    received += Int64(bytes.count)
    guard hasTime() else { return false }
    guard let head = reader.head, head.isSuccess else { return letPass(bytes.count) }
    do throws(HTTPError) {
      if !isReceiving {
        isReceiving = true
        try job.receiver.begin(head)
      }
      try job.receiver.receive(bytes)
      return true
    } catch {
      if error.code == .enough { isCutOff = true } else { fail(error) }
      return false
    }
  }

  /// Returns whether to go on. What a refusal says is for people who look at it in a browser; its status is known.
  private func letPass(_ count: Int) -> Bool {
    unread += count
    isCutOff = unread > Self.unreadLimit
    return !isCutOff
  }

  /// Returns how much was put there; `nil` if it cannot be read.
  func giveBody(_ space: UnsafeMutableRawBufferPointer) -> Int? {
    do throws(HTTPError) {
      let count = try source.read(into: space)
      job.progress?(source.offset - Int64(count))
      if source.offset == source.size { waitForAnswer() }
      // What is left may be so little that it would be sent before the cancellation is heard of.
      if job.cancellation.isSet { throw HTTPError(.cancelled, "the request was cancelled") }
      return count
    } catch {
      fail(error)
      return nil
    }
  }

  /// Allows the server time for a body that libcurl has given away: until it has come through buffers and a slow line, and was passed on to
  /// a slow disk or cloud, nothing can arrive.
  private func waitForAnswer() {
    hasGiven = SuspendingClock.now
    let patience = AnswerPatience.seconds(after: source.offset)
    guard patience > 0 else { return }
    ticds_curl_set_long(handle, CURLOPT_LOW_SPEED_TIME, EasyOptions.seconds(job.stallLimit) + patience)
  }

  /// Ends that: an answer that has begun is to come at a speed like others. To libcurl, which counts from when nothing came, the time that was
  /// waited belongs to it.
  private func expectSpeed() {
    guard let hasGiven else { return }
    let waited = Int((SuspendingClock.now - hasGiven).components.seconds) + 1
    ticds_curl_set_long(handle, CURLOPT_LOW_SPEED_TIME, EasyOptions.seconds(job.stallLimit) + waited)
  }

  func rewind(to offset: Int64) -> Bool { source.seek(to: offset) }
}
