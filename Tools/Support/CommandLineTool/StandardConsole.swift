#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Console {
  /// The process's own standard streams.
  public static let standard = Console(
    output: { writeAll($0, to: STDOUT_FILENO) },
    errors: { writeAll($0, to: STDERR_FILENO) },
    isInteractive: isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1,
    terminal: Terminal(
      showsOutput: isatty(STDOUT_FILENO) == 1, showsErrors: isatty(STDERR_FILENO) == 1,
      environment: { getenv($0).map { String(cString: $0) } },
      size: {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : nil
      }),
    input: { readLine() }, hiddenInput: { HiddenInput.line(asking: $0) },
    inputBytes: { readBytes($0, from: STDIN_FILENO) })
}

func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Console.WriteFailure? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written >= 0 {
      rest = rest.dropFirst(written)
    } else if errno != EINTR {
      return Console.WriteFailure(code: errno)
    }
  }
  return nil
}

extension Console.WriteFailure {
  /// Wraps an `errno` with the system's words for it.
  public init(code: Int32) {
    // What the runtime has opened in the place of a stream that was closed refuses with EINVAL.
    self.init(
      code: code, words: [EBADF, EINVAL].contains(code) ? "it is closed" : String(cString: strerror(code)))
  }

  var isReaderGone: Bool { code == EPIPE }
  /// Whether a disk or a quota is full.
  public var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
}
