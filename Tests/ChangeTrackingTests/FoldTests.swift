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

  @Test(arguments: [MergeKind.counter, .greatest, .smallest])
  func `writing null contributes nothing, even where nobody has written before`(kind: MergeKind) {
    let fold = Fold(kind: kind, initial: .integer(0))
    #expect(fold.contribution(of: .null, shown: .integer(3), isFirst: true) == nil)
  }

  @Test func `of two candidates with one stamp the better one makes the other superfluous`() {
    let fold = Fold(kind: .greatest, initial: .null)
    let (less, more) = (contribution(1, 1, .integer(1)), contribution(1, 1, .integer(2)))
    #expect(fold.isDominated(less, by: more))
    #expect(!fold.isDominated(more, by: less))
  }

  @Test func `what was there before the merge was declared is a candidate`() {
    let fold = Fold(kind: .smallest, initial: .null)
    #expect(fold.value(base: .integer(1), [contribution(1, 1, .integer(2))]) == .integer(1))
  }
}
