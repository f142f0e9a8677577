import CTICDSCurl
import Foundation
import Locking

/// Carries out all requests of one client on one thread, with libcurl's multi interface: no thread waits for one request, and
/// connections are used again.
final class EventLoop: Sendable {
  private enum Command: Sendable {
    case start(TransferJob)
    case cancel(UInt64)
  }

  private struct State: Sendable {
    var commands: [Command] = []
    var isStopping = false
    var wakeup: Wakeup?
    /// Whether the thread looks for commands before it sleeps, so that it need not be woken up.
    var isAwake = true

    mutating func wake() {
      guard !isAwake else { return }
      isAwake = true
      wakeup?()
    }
  }

  /// Wakes the thread up.
  ///
  /// The unchecked conformance is sound: curl_multi_wakeup is the one function that libcurl allows on any thread while another
  /// one uses the handle, and the handle is taken away under the lock before it is closed.
  private struct Wakeup: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
    func callAsFunction() { curl_multi_wakeup(multi) }
  }

  private let state = Locked(State())
  private let configuration: HTTPConfiguration

  init(_ configuration: HTTPConfiguration) { self.configuration = configuration }

  /// Starts a transfer. Its `end` is called once, on the loop's thread or, if the loop has ended, here.
  func start(_ job: TransferJob) {
    let isRunning = state.withLock { state in
      guard !state.isStopping else { return false }
      state.commands.append(.start(job))
      guard state.wakeup == nil else {
        state.wake()
        return true
      }
      guard let multi = Self.makeMulti() else { return false }
      state.wakeup = Wakeup(multi: multi)
      let wakeup = Wakeup(multi: multi)
      let thread = Thread { [self] in run(wakeup.multi) }
      thread.name = "TICDS HTTP"
      thread.start()
      return true
    }
    if !isRunning { job.end(.failure(HTTPError(.closed, "the client was closed"))) }
  }

  /// Ends the transfer with that number as cancelled, if it has not ended.
  func cancel(_ number: UInt64) {
    state.withLock { state in
      state.commands.append(.cancel(number))
      state.wake()
    }
  }

  /// Ends all transfers and the thread.
  func stop() {
    state.withLock { state in
      state.isStopping = true
      state.wake()
    }
  }

  // libcurl wants this once, before everything else; a global constant is made once, by one thread.
  private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private static func makeMulti() -> UnsafeMutableRawPointer? {
    guard isInitialised, let multi = curl_multi_init() else { return nil }
    _ = ticds_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    return multi
  }

  /// The thread. Handles and transfers are its own; nothing of them leaves it.
  private func run(_ multi: UnsafeMutableRawPointer) {
    var board = TransferBoard(multi: multi, configuration: configuration)
    while true {
      let (commands, isStopping) = state.withLock { state in
        defer { state.commands = [] }
        if state.isStopping { state.wakeup = nil }
        return (state.commands, state.isStopping)
      }
      for command in commands {
        switch command {
        case .start(let job): board.add(job)
        case .cancel(let number): board.cancel(number)
        }
      }
      if isStopping { break }
      switch board.advance() {
      case .none: continue
      case .begun: lookForMore()
      case .waiting: break
      }
      let isIdle = state.withLock { state in
        state.isAwake = !state.commands.isEmpty || state.isStopping
        return !state.isAwake
      }
      guard isIdle else { continue }
      board.wait()
      state.withLock { $0.isAwake = true }
    }
    board.close()
  }

  /// For how long the thread looks for the next request before it sleeps: about what it takes to be woken up.
  private static let lookout: Duration = .microseconds(60)

  /// Whoever makes one request after another makes the next as soon as he has read the answer. A thread that sleeps by then costs him
  /// more than the looking costs.
  private func lookForMore() {
    let start = ContinuousClock.now
    repeat {
      if state.withLock({ !$0.commands.isEmpty || $0.isStopping }) { return }
      sched_yield()
    } while ContinuousClock.now - start < Self.lookout
  }
}
