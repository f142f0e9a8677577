import Synchronization

/// Where a command writes: results to standard output, everything else to standard error.
///
/// Standard output is buffered until ``flush()`` or until 64 KiB have gathered. A reader that goes away
/// (`EPIPE`) is no failure: what follows is dropped. Any other failure is remembered and reported by `flush()`.
public final class Console: Sendable {
  /// Writes all bytes to a place; returns what went wrong, if anything did.
  public typealias Sink = @Sendable ([UInt8]) -> WriteFailure?

  /// Why output could not be written.
  public struct WriteFailure: Equatable, Sendable {
    /// The operating system's error number.
    public let code: Int32
    /// The system's words for it.
    public let words: String

    /// Wraps an `errno`.
    public init(code: Int32, words: String) {
      self.code = code
      self.words = words
    }
  }

  private struct State {
    var buffer: [UInt8] = []
    var failure: WriteFailure?
    var isAsking = false
  }

  private static let limit = 64 * 1024
  private let output: Sink
  private let errors: Sink
  private let input: @Sendable () -> String?
  private let state = Mutex(State())

  /// Whether a person sits at both ends, so that a question can be asked.
  public let isInteractive: Bool

  /// Makes a console from its sinks and its source of lines.
  public init(
    output: @escaping Sink, errors: @escaping Sink, isInteractive: Bool = false,
    input: @escaping @Sendable () -> String? = { nil }
  ) {
    self.output = output
    self.errors = errors
    self.isInteractive = isInteractive
    self.input = input
  }

  /// Writes a text to standard output as it is.
  public func write(_ text: String) {
    state.withLock { state in
      state.buffer += Array(text.utf8)
      if state.buffer.count >= Self.limit { drain(&state) }
    }
  }

  /// Writes one line to standard output.
  public func print(_ line: String) { write(line + "\n") }

  /// Writes one line to standard error, after everything that was written before.
  public func complain(_ line: String) {
    _ = flush()
    _ = errors(Array((line + "\n").utf8))
  }

  /// Asks a person and returns the answer without its line end; `nil` at the end of the input.
  public func ask(_ question: String) -> String? {
    _ = flush()
    _ = errors(Array(question.utf8))
    state.withLock { $0.isAsking = true }
    defer { state.withLock { $0.isAsking = false } }
    return input()
  }

  /// Whether a person is being asked at this moment. Reading an answer cannot be cancelled.
  var isAsking: Bool { state.withLock { $0.isAsking } }

  /// Writes what is buffered and returns the first failure since the last time, unless only the reader went away.
  public func flush() -> WriteFailure? {
    state.withLock { state in
      drain(&state)
      defer { state.failure = nil }
      return state.failure?.isReaderGone == true ? nil : state.failure
    }
  }

  private func drain(_ state: inout State) {
    guard !state.buffer.isEmpty else { return }
    if state.failure == nil { state.failure = output(state.buffer) }
    state.buffer.removeAll(keepingCapacity: true)
  }
}
