import Testing

@testable import SyncProtocol

@Suite struct BatchSizeTests {
  private func sizes(of sets: some Sequence<Int>) -> [Int] {
    var size = BatchSize()
    var sizes: [Int] = []
    var left = Array(sets)[...]
    while !left.isEmpty {
      sizes.append(size.count)
      let batch = left.prefix(size.count)
      left = left.dropFirst(size.count)
      size.follow(changes: batch.reduce(0, +))
    }
    return sizes
  }

  @Test func `small sets come sixteen at a time once it is known that they are small`() {
    #expect(sizes(of: repeatElement(20, count: 60)) == [4, 8, 16, 16, 16])
  }

  @Test func `sets of the greatest size come one or two at a time`() {
    #expect(sizes(of: repeatElement(65_536, count: 12)).dropFirst().allSatisfy { $0 <= 2 })
  }

  @Test func `one large set among small ones is not followed by small batches for ever`() {
    #expect(sizes(of: [65_537] + repeatElement(20, count: 30)).max() == 16)
  }
}
