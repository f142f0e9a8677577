import Foundation
import ProcessTesting
import Testing

/// What is read while another program writes.
@Suite struct ConcurrentReadingTests {
  /// Sets all names to one number, again and again.
  private static let writer = """
    import sqlite3, sys, time
    store = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
    store.execute("PRAGMA journal_mode = " + sys.argv[2])
    number = 0
    while number < 1000000:
        number += 1
        try:
            store.execute("BEGIN IMMEDIATE")
            store.execute("UPDATE ZFOLDER SET ZNAME = ?", (str(number),))
            store.execute("UPDATE ZTAG SET ZNAME = ? || '-' || Z_PK", (str(number),))
            store.execute("COMMIT")
        except sqlite3.OperationalError:
            if store.in_transaction: store.execute("ROLLBACK")
        if number == 1: print("ready", flush=True)
        time.sleep(0.001)
    """

  @Test(arguments: ["WAL", "DELETE"])
  func `a dump has one state of the store, whoever writes meanwhile`(mode: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = tool.path("store.sqlite")
    try RoundTripTests.fill(store)
    let writer = try Subprocess(["python3", "-c", Self.writer, store, mode], isAnnouncing: true)
    defer {
      writer.send(SIGKILL)
      writer.reapOnceEnded()
    }
    #expect(await writer.announcement() == "ready")

    for _ in 0..<6 {
      let result = try await tool.run("dump", store)
      #expect(result.ending == .exited(0), "\(result.errors)")
      let names = result.output.matches(of: /"name":"(\d+)(-\d+)?"/).map { String($0.output.1) }
      #expect(names.count == 4 && Set(names).count == 1, "\(names)")
    }
  }
}
