import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines of a terminal that do not show while they are entered.
enum HiddenInput {
  /// How the terminal was set before.
  private static let former = Mutex<termios?>(nil)

  /// Asks, and reads a line of standard input; `nil` at its end.
  ///
  /// What was entered before the question is dropped, so the terminal is set first: a quick answer comes at once.
  static func line(asking: () -> Void) -> String? {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      asking()
      return readLine()
    }
    let before = settings
    former.withLock { $0 = before }
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    defer {
      restore()
      // The end of the line did not show either.
      _ = writeAll(Array("\n".utf8), to: STDERR_FILENO)
    }
    asking()
    return readLine()
  }

  /// Lets the terminal show again what is entered, also for who ends the process in the middle of a line.
  static func restore() {
    former.withLock { former in
      guard var settings = former else { return }
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
      former = nil
    }
  }
}
