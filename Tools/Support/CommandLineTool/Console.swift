import ShownText
import Synchronization

/// Where a command writes: results to standard output, everything else to standard error.
///
/// Standard output is buffered until ``flush()`` or until 64 KiB have gathered. A reader that goes away
/// (`EPIPE`) is no failure: what follows is dropped. Any other failure is remembered and reported by `flush()`.
public final class Console: Sendable {
  /// Writes all bytes to a place; returns what went wrong, if anything did.
  public typealias Sink = @Sendable ([UInt8]) -> WriteFailure?

  /// Why output could not be written.
  public struct WriteFailure: Error, Equatable, Sendable {
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
    var isColored = false
    var pagerCommand: String?
    var pager: Pager?
    var progress = ProgressLine()
  }

  private static let limit = 64 * 1024
  private let output: Sink
  private let errors: Sink
  private let input: @Sendable () -> String?
  private let hiddenInput: @Sendable (_ asking: () -> Void) -> String?
  /// The next bytes of the input, up to a number; none at its end.
  let inputBytes: @Sendable (Int) -> Result<[UInt8], WriteFailure>
  private let terminal: Terminal
  private let state = Mutex(State())

  /// Whether a person sits at both ends, so that a question can be asked.
  public let isInteractive: Bool

  /// Makes a console from its sinks and its sources of lines and bytes. `hiddenInput` asks when nothing shows any more of what is
  /// entered, and returns the line.
  public init(
    output: @escaping Sink, errors: @escaping Sink, isInteractive: Bool = false,
    terminal: Terminal = Terminal(), input: @escaping @Sendable () -> String? = { nil },
    hiddenInput: (@Sendable (_ asking: () -> Void) -> String?)? = nil,
    inputBytes: @escaping @Sendable (Int) -> Result<[UInt8], WriteFailure> = { _ in .success([]) }
  ) {
    self.output = output
    self.errors = errors
    self.isInteractive = isInteractive
    self.terminal = terminal
    self.input = input
    self.hiddenInput =
      hiddenInput ?? { asking in
        asking()
        return input()
      }
    self.inputBytes = inputBytes
  }

  /// Shows what follows as the command line asks for it.
  func present(_ presentation: Presentation) {
    state.withLock { state in
      state.isColored = terminal.isColored(presentation.color)
      state.pagerCommand = presentation.isPaged ? terminal.pager : nil
      state.progress.begin(at: terminal.now())
    }
  }

  /// Ends what was begun for showing results: erases the progress, and waits for the person who reads the pages.
  func finish() {
    let pager = state.withLock { state in
      drain(&state)
      erase(&state)
      state.pagerCommand = nil
      defer { state.pager = nil }
      return state.pager
    }
    pager?.finish()
  }

  /// The text, coloured if the results are shown in colours.
  public func colored(_ text: String, _ emphasis: Emphasis) -> String {
    state.withLock { $0.isColored } ? "\u{1b}[\(emphasis.rawValue)m\(text)\u{1b}[m" : text
  }

  /// Tells a person at a terminal how far a command is that takes more than a second.
  public func progress(_ text: @autoclosure () -> String) {
    guard terminal.showsProgress else { return }
    state.withLock { state in
      // The pages fill the screen.
      guard state.pager == nil, state.progress.isDue(at: terminal.now()) else { return }
      _ = errors(Array(state.progress.line(text()).utf8))
    }
  }

  /// Writes a table, which fits the terminal if there is one; each line begins with the indentation.
  public func print(_ table: TextTable, indent: Int = 0) {
    let space = String(repeating: " ", count: indent)
    for line in table.lines(fitting: terminal.columns.map { $0 - indent }) { print(space + line) }
  }

  /// Whether somebody still reads the results.
  public var hasReader: Bool { state.withLock { $0.failure == nil } }

  /// Writes a text to standard output as it is.
  public func write(_ text: String) {
    state.withLock { state in
      state.buffer += Array(text.utf8)
      if state.buffer.count >= Self.limit { drain(&state) }
    }
  }

  /// Writes a text to standard output that other programs read as it is. On a terminal, what could move its cursor or hide text is shown as
  /// `\u{…}`.
  public func write(forPrograms text: String) {
    write(terminal.showsOutput ? PrintableText.lines(text) : text)
  }

  /// Writes one line to standard output.
  public func print(_ line: String) { write(line + "\n") }

  /// Writes one line to standard error, after everything that was written before.
  public func complain(_ line: String) {
    state.withLock { state in
      drain(&state)
      erase(&state)
      let bytes = Array((line + "\n").utf8)
      // On one screen with the pages it would be lost between them.
      if terminal.showsErrors, let pager = state.pager { _ = pager.write(bytes) } else { _ = errors(bytes) }
    }
  }

  /// Asks a person and returns the answer without its line end; `nil` at the end of the input.
  public func ask(_ question: String) -> String? {
    ask(question) { asking in
      asking()
      return input()
    }
  }

  /// The same for a secret: the answer does not show.
  public func askHidden(_ question: String) -> String? { ask(question, hiddenInput) }

  private func ask(_ question: String, _ answer: (_ asking: () -> Void) -> String?) -> String? {
    state.withLock { state in
      drain(&state)
      erase(&state)
      state.isAsking = true
    }
    defer { state.withLock { $0.isAsking = false } }
    return answer { _ = errors(Array(question.utf8)) }
  }

  /// Waits for what others write, a pipe for one, as for a person's answer: a signal then ends the process at once.
  public func reading<R>(_ body: () -> R) -> R {
    state.withLock { $0.isAsking = true }
    defer { state.withLock { $0.isAsking = false } }
    return body()
  }

  /// The value of an environment variable.
  func environment(_ name: String) -> String? { terminal.environment(name) }

  /// How many columns results may take; `nil` without a terminal.
  var columns: Int? { terminal.columns }

  /// Whether a person is being asked at this moment. Reading an answer cannot be cancelled.
  var isAsking: Bool { state.withLock { $0.isAsking } }

  /// Writes what is buffered, for a person who waits. What goes wrong is remembered until ``flush()``.
  public func show() { state.withLock { drain(&$0) } }

  /// Writes what is buffered and returns the first failure since the last time, unless only the reader went away.
  public func flush() -> WriteFailure? {
    state.withLock { state in
      drain(&state)
      // A reader that has gone does not come back.
      if state.failure?.isReaderGone == true { return nil }
      defer { state.failure = nil }
      return state.failure
    }
  }

  private func drain(_ state: inout State) {
    guard !state.buffer.isEmpty else { return }
    erase(&state)
    if let command = state.pagerCommand, state.pager == nil {
      state.pager = Pager(command)
      state.pagerCommand = nil
    }
    if state.failure == nil { state.failure = state.pager?.write(state.buffer) ?? written(state) }
    state.buffer.removeAll(keepingCapacity: true)
  }

  private func written(_ state: State) -> WriteFailure? {
    state.pager == nil ? output(state.buffer) : nil
  }

  private func erase(_ state: inout State) {
    if let bytes = state.progress.erasure() { _ = errors(bytes) }
  }
}
