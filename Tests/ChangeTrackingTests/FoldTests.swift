import ByteFixtures
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

  @Test func `a sum that no integer holds is exact`() {
    let fold = Fold(kind: .counter, initial: .integer(0))
    let parts = [contribution(1, 1, .integer(.max)), contribution(2, 1, .integer(5))]

    #expect(fold.value(base: .null, parts) == .decimal(Decimal(Int64.max) + 5))
    #expect(fold.value(base: .integer(-6), parts) == .integer(.max - 1))
    #expect(
      fold.contribution(of: .integer(.min), shown: .integer(1), isFirst: false)
        == .decimal(Decimal(Int64.min) - 1))
  }

  /// Values of which none is another's equal, though the roundings of some are.
  private static let numbers: [AttributeValue] = [
    .integer(16_777_217), .float(16_777_216), .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
    .decimal(9_007_199_254_740_994), .double(0.1), .decimal(0.11), .double(.nan), .double(.infinity),
    .double(-0.0),
    .integer(0), .boolean(true), .date(4.5), .decimal(4), .integer(.max), .string("a"), .uri("b"),
  ]

  @Test(arguments: [MergeKind.greatest, .smallest])
  func `what remains of candidates of several types does not depend on which came first`(kind: MergeKind) {
    var random = SeededGenerator(seed: 5)
    let fold = Fold(kind: kind, initial: .null)
    for _ in 0..<2_000 {
      let drawn = (0..<4).map { index in
        contribution(
          UInt64.random(in: 1...4, using: &random), UInt64(index),
          Self.numbers.randomElement(using: &random) ?? .null)
      }
      let results = (0..<6).map { _ in
        var kept: [Contribution] = []
        for candidate in drawn.shuffled(using: &random)
        where !kept.contains(where: { fold.isDominated(candidate, by: $0) }) {
          kept.removeAll { fold.isDominated($0, by: candidate) }
          kept.append(candidate)
        }
        return fold.value(base: .null, kept).parkedBytes
      }
      #expect(Set(results).count == 1, "\(drawn.map(\.value))")
    }
  }

  @Test func `what was there before the merge was declared is a candidate`() {
    let fold = Fold(kind: .smallest, initial: .null)
    #expect(fold.value(base: .integer(1), [contribution(1, 1, .integer(2))]) == .integer(1))
  }

  @Test(arguments: [Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude])
  func `a sum that no decimal holds is the nearest that one holds`(bound: Decimal) {
    let fold = Fold(kind: .counter, initial: .decimal(0))

    let sum = fold.value(
      base: .null, [contribution(1, 1, .decimal(bound)), contribution(2, 1, .decimal(bound))])

    #expect(sum == .decimal(bound))
    #expect(
      fold.contribution(of: .decimal(-bound), shown: .decimal(bound), isFirst: false) == .decimal(-bound))
  }

  @Test(arguments: [AttributeValue.string("x"), .data([1]), .date(1), .null])
  func `what is no number counts for nothing, wherever it comes`(value: AttributeValue) {
    let fold = Fold(kind: .counter, initial: .null)
    for times in [[1, 2, 3], [2, 1, 3], [3, 1, 2]] as [[UInt64]] {
      let sum = fold.value(
        base: .null,
        [
          contribution(times[0], 1, value), contribution(times[1], 1, .integer(3)),
          contribution(times[2], 1, .integer(4)),
        ])

      #expect(sum == .integer(7))
    }
  }

  @Test func `what was there before the merge was declared counts for nothing either if it is no number`() {
    let fold = Fold(kind: .counter, initial: .null)

    let sum = fold.value(
      base: .string("x"), [contribution(1, 1, .integer(3)), contribution(2, 1, .integer(4))])

    #expect(sum == .integer(7))
  }
}
