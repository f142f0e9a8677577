import CTICDSCurl

/// The transfers that are under way and those that wait for their turn. Lives on the thread of an ``EventLoop``.
struct TransferBoard {
  /// How long a poll sleeps if nothing happens; a command ends it.
  private static let longestPoll: Int32 = 60_000
  private let multi: UnsafeMutableRawPointer
  private let configuration: HTTPConfiguration
  private let limit: Int
  private let sockets = OpenSockets()
  private var waiting: [TransferJob] = []
  private var running: [UnsafeMutableRawPointer: Transfer] = [:]
  /// Handles that are free. A handle remembers the nonce of Digest, so it is used again.
  private var idle: [UnsafeMutableRawPointer] = []

  init(multi: UnsafeMutableRawPointer, configuration: HTTPConfiguration) {
    self.multi = multi
    self.configuration = configuration
    limit = min(max(configuration.concurrency, 1), 64)
    _ = ticds_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limit + 2)
  }

  mutating func add(_ job: TransferJob) {
    waiting.append(job)
    startWaiting()
  }

  mutating func cancel(_ number: UInt64) {
    let cancelled = HTTPError(.cancelled, "the request was cancelled")
    if let index = waiting.firstIndex(where: { $0.number == number }) {
      waiting.remove(at: index).end(.failure(cancelled))
    } else if let (handle, transfer) = running.first(where: { $0.value.job.number == number }) {
      transfer.fail(cancelled)
      finish(handle, CURLE_ABORTED_BY_CALLBACK)
    }
  }

  /// What there is to do once everything was done that could be.
  enum Rest {
    /// More: transfers have ended, and others go on.
    case none
    /// To wait for what is under way.
    case waiting
    /// Nothing: the last transfer has just ended.
    case begun
  }

  /// Does what can be done now.
  mutating func advance() -> Rest {
    var count: Int32 = 0
    curl_multi_perform(multi, &count)
    var code = CURLE_OK
    var hasEnded = false
    while let handle = ticds_curl_multi_ended(multi, &code) {
      finish(handle, code)
      hasEnded = true
    }
    guard hasEnded else { return .waiting }
    return running.isEmpty ? .begun : .none
  }

  /// Waits until there is more to do, or somebody wakes the thread up.
  func wait() { curl_multi_poll(multi, nil, 0, Self.longestPoll, nil) }

  /// Ends everything.
  mutating func close() {
    let closed = HTTPError(.closed, "the client was closed")
    for job in waiting { job.end(.failure(closed)) }
    waiting = []
    for (handle, transfer) in running {
      transfer.fail(closed)
      finish(handle, CURLE_ABORTED_BY_CALLBACK)
    }
    for handle in idle { curl_easy_cleanup(handle) }
    idle = []
    withExtendedLifetime(sockets) { _ = curl_multi_cleanup(multi) }
  }

  private mutating func startWaiting() {
    while running.count < limit, !waiting.isEmpty {
      let job = waiting.removeFirst()
      if job.cancellation.isSet {
        job.end(.failure(HTTPError(.cancelled, "the request was cancelled")))
        continue
      }
      guard let handle = idle.popLast() ?? curl_easy_init() else {
        job.end(.failure(HTTPError(.other, "libcurl has no memory for a request")))
        continue
      }
      let transfer = Transfer(job, handle, configuration, sockets)
      if let failure = transfer.prepare() {
        transfer.release()
        idle.append(handle)
        job.end(.failure(failure))
        continue
      }
      guard curl_multi_add_handle(multi, handle) == CURLM_OK else {
        transfer.release()
        curl_easy_cleanup(handle)
        job.end(.failure(HTTPError(.other, "libcurl does not take a request")))
        continue
      }
      running[handle] = transfer
    }
  }

  private mutating func finish(_ handle: UnsafeMutableRawPointer, _ code: CURLcode) {
    curl_multi_remove_handle(multi, handle)
    if let transfer = running[handle], transfer.beginAgain(after: code) {
      if curl_multi_add_handle(multi, handle) == CURLM_OK { return }
      transfer.fail(HTTPError(.other, "libcurl does not take a request"))
    }
    guard let transfer = running.removeValue(forKey: handle) else { return }
    let result = transfer.result(code)
    transfer.release()
    idle.append(handle)
    startWaiting()
    transfer.job.end(result)
  }
}
