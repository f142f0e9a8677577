import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Tool {
  /// Runs the process's own command line and ends the process with the resulting status.
  ///
  /// `SIGINT` and `SIGTERM` cancel the command, which then stops at its next safe point and leaves everything
  /// consistent; a second one, or one while a person is being asked, ends the process at once, which is safe too,
  /// only less polite. `SIGPIPE` is ignored: a reader that went away must not cut off a sync.
  public func main() async -> Never {
    signal(SIGPIPE, SIG_IGN)
    occupyClosedStreams()
    guard let words = Self.words() else {
      Console.standard.complain(
        "\(name): the command line is not UTF-8; write the text into a file, or correct it.")
      exit(ToolStatus.usage.rawValue)
    }
    let received = ReceivedSignal()
    let work = Task { await run(words, console: .standard) }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if received.note(number) || Console.standard.isAsking {
          HiddenInput.restore()
          _exit(128 + number)
        }
        work.cancel()
      }
      source.resume()
      return source
    }
    let status = await work.value
    for source in sources { source.cancel() }
    exit(status == .interrupted ? received.status.rawValue : status.rawValue)
  }
}

/// Occupies the standard streams that are closed, so that no file is opened in the place of one, and gets what is printed. What is written
/// there fails as it did.
private func occupyClosedStreams() {
  for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest number that is free is taken, which is this one.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}

extension Tool {
  /// The process's own command line; `nil` if it is not UTF-8. `CommandLine.arguments` would put another character in the place of
  /// what it cannot read.
  fileprivate static func words() -> [String]? {
    var words: [String] = []
    for index in 1..<max(1, Int(Swift.CommandLine.argc)) {
      guard let word = Swift.CommandLine.unsafeArgv[index], let text = String(validatingCString: word) else {
        return nil
      }
      words.append(text)
    }
    return words
  }
}

/// The first signal that asked the process to end.
private final class ReceivedSignal: Sendable {
  private let number = Atomic<Int32>(0)

  /// Remembers the first signal; true if there was one before.
  func note(_ signal: Int32) -> Bool {
    !number.compareExchange(expected: 0, desired: signal, ordering: .sequentiallyConsistent).exchanged
  }

  var status: ToolStatus {
    number.load(ordering: .sequentiallyConsistent) == SIGTERM ? .terminated : .interrupted
  }
}
