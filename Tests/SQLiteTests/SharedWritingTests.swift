import Foundation
import Locking
import Testing

@testable import TICDSSQLite

/// One connection that writes again and again beside others.
@Suite struct SharedWritingTests {
  @Test func `whoever waits to write gets his turn while another writes again and again`() throws {
    let database = try TemporaryDatabase(TemporaryDatabase.rows)
    let busy = try database.connect(busyTimeout: 10_000)
    let path = busy.path
    let isDone = Locked(false)
    let ended = DispatchSemaphore(value: 0)

    // The other begins to wait while the first transaction is open.
    var transactions = 0
    var writing = SharedWriting(busy)
    while !isDone.withLock({ $0 }), transactions < 80 {
      try busy.transaction {
        if transactions == 0 {
          Thread {
            let other = try? Connection(path: path)
            try? other?.transaction { try other?.run("DELETE FROM t WHERE rowid = 1") }
            isDone.withLock { $0 = true }
            ended.signal()
          }.start()
        }
        usleep(25_000)
      }
      transactions += 1
      writing.pauseIfDue()
    }
    ended.wait()

    // Looking ten times a second, the other would hardly ever see the lock free.
    #expect(transactions < 40)
    #expect(try busy.first("SELECT count(*) FROM t") == .integer(4_999))
  }

  @Test func `time ends the wait for a lock, and not how often it was looked at`() {
    let hour = LockWait(.seconds(3_600))
    #expect((0..<20_000).allSatisfy { hour.goesOn(isFirst: $0 == 0) })
    let nothing = LockWait(.zero)
    #expect(!nothing.goesOn(isFirst: true))
  }
}
