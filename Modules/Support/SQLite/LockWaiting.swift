import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Connection {
  /// Lets statements wait for locks of other connections, and look for them often.
  ///
  /// The handler of `sqlite3_busy_timeout` soon looks only every tenth of a second, so that whoever commits one transaction after
  /// the other hardly ever lets another in. With this one a pause a little longer than a millisecond does: ``SharedWriting``.
  ///
  /// - Parameter timeout: milliseconds, about.
  func waitForLocks(_ timeout: Int32) {
    // The number of milliseconds travels in place of a pointer, so nothing has to outlive the connection.
    let argument = UnsafeMutableRawPointer(bitPattern: Int(max(0, timeout)))
    sqlite3_busy_handler(
      handle,
      { argument, attempt in
        guard attempt < Int32(clamping: Int(bitPattern: argument)) else { return 0 }
        usleep(1_000)
        return 1
      }, argument)
  }

  /// Microseconds between two transactions of one who writes again and again: enough for those who look every millisecond.
  private static let writersPause: UInt32 = 1_500

  /// Lets connections write that wait for the end of this one's last transaction.
  func letOthersWrite() { usleep(Self.writersPause) }
}

/// Work that takes many transactions of one connection, and lets others write in between.
public struct SharedWriting {
  /// So much of the time may pass without a pause; transactions may be a lot shorter.
  private static let patience = Duration.milliseconds(40)

  private let connection: Connection
  private var start = ContinuousClock.now

  /// Begins the work.
  public init(_ connection: Connection) { self.connection = connection }

  /// Between two transactions: pauses if others may have waited for long.
  public mutating func pauseIfDue() {
    guard ContinuousClock.now - start >= Self.patience else { return }
    connection.letOthersWrite()
    start = .now
  }
}
