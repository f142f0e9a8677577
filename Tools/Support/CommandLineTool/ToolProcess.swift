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
    let words = Array(Swift.CommandLine.arguments.dropFirst())
    let received = ReceivedSignal()
    let work = Task { await run(words, console: .standard) }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if received.note(number) || Console.standard.isAsking { _exit(128 + number) }
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
