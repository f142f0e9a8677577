import CTICDSSQLite

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
  /// - Parameter timeout: milliseconds, about. Looking takes long itself on network drives and busy machines, so time decides and not how
  ///   often it was looked.
  func waitForLocks(_ timeout: Int32) {
    let wait = LockWait(.milliseconds(timeout))
    lockWait = wait
    sqlite3_busy_handler(
      handle,
      { argument, attempt in
        guard let argument else { return 0 }
        let wait = Unmanaged<LockWait>.fromOpaque(argument).takeUnretainedValue()
        guard wait.goesOn(isFirst: attempt == 0) else { return 0 }
        usleep(1_000)
        return 1
      }, Unmanaged.passUnretained(wait).toOpaque())
  }

  /// Statements that outlive this object wait for nobody: what they would ask goes with it.
  func waitNoMore() { sqlite3_busy_handler(handle, nil, nil) }

  /// Microseconds between two transactions of one who writes again and again: enough for those who look every millisecond.
  private static let writersPause: UInt32 = 1_500

  /// Lets connections write that wait for the end of this one's last transaction.
  func letOthersWrite() { usleep(Self.writersPause) }
}

/// How long a statement has waited for a lock.
final class LockWait {
  private let timeout: Duration
  // What is spent asleep lets nobody give up.
  private var start = SuspendingClock.now

  init(_ timeout: Duration) { self.timeout = timeout }

  /// Whether to look once more.
  ///
  /// - Parameter isFirst: whether a statement has found the lock taken for the first time.
  func goesOn(isFirst: Bool) -> Bool {
    if isFirst { start = .now }
    return SuspendingClock.now - start < timeout
  }
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
