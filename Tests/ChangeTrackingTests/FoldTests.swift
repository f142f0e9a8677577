import Foundation
import ObjectStore
import Testing

@testable import ChangeTracking

/// What contributions show together.
@Suite struct FoldTests {
  private func contribution(_ time: UInt64, _ author: UInt64, _ value: AttributeValue) -> Contribution {
    let origin = Stamp(time: LogicalTime(milliseconds: time), author: AuthorID(bits: author))
    return Contribution(origin: origin, value: value)
  }

  @Test func `a sum with rounding is the same in whatever order its parts are found`() {
    let fold = Fold(kind: .counter, initial: .double(0))
    let parts = [
      contribution(1, 1, .double(1e16)), contribution(1, 2, .double(1)), contribution(2, 1, .double(-1e16)),
    ]
    let sums = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map { order in
      fold.value(base: .null, order.map { parts[$0] })
    }
    #expect(Set(sums).count == 1)
  }
}
