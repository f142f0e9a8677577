import Locking
import Testing

@Suite struct LockedTests {
  private struct Refused: Error {}

  @Test func `what many tasks add at once is all there`() async {
    let sum = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1_000 { sum.withLock { $0 += 1 } } }
      }
    }
    #expect(sum.withLock { $0 } == 8_000)
  }

  @Test func `an error lets the lock go and keeps what was changed before it`() {
    let values = Locked<[Int]>([])
    #expect(throws: Refused.self) {
      try values.withLock { values throws(Refused) in
        values.append(1)
        throw Refused()
      }
    }
    #expect(values.withLock { $0 } == [1])
  }
}
