import ChangeTracking
import ObjectStore
import Testing

@testable import SyncProtocol

@Suite struct BatchSizeTests {
  /// - Parameter sets: the changes of each, or the bytes of each.
  private func sizes(of sets: some Sequence<Int>, areBytes: Bool = false) -> [Int] {
    var size = BatchSize()
    var sizes: [Int] = []
    var left = Array(sets)[...]
    while !left.isEmpty {
      sizes.append(size.count)
      let batch = left.prefix(size.count)
      left = left.dropFirst(size.count)
      let sum = batch.reduce(0, +)
      size.follow(changes: areBytes ? batch.count : sum, bytes: areBytes ? sum : 0)
    }
    return sizes
  }

  @Test func `small sets come sixteen at a time once it is known that they are small`() {
    #expect(sizes(of: repeatElement(20, count: 60)) == [4, 8, 16, 16, 16])
  }

  @Test func `sets of the greatest size come one or two at a time`() {
    #expect(sizes(of: repeatElement(65_536, count: 12)).dropFirst().allSatisfy { $0 <= 2 })
  }

  @Test func `sets that hold much in few changes come one or two at a time`() {
    #expect(sizes(of: repeatElement(16 << 20, count: 12), areBytes: true).dropFirst().allSatisfy { $0 <= 2 })
  }

  @Test func `the content of a set counts whatever it is and wherever it stands`() throws {
    let long = AttributeValue.string(String(repeating: "x", count: 5_000))
    let register = Register(property: 0, content: .value(long))
    let object = SyncID("object")
    func size(_ action: Change.Action) -> Int {
      let change = Change(entity: 0, object: object, time: .zero, action: action)
      return ChangeSet(
        author: AuthorID(bits: 1), client: "", sequence: 1, previous: nil, model: "", entities: [],
        changes: [change, change]
      ).contentSize
    }
    #expect((10_000..<11_000).contains(size(.insert([register]))))
    #expect((10_000..<11_000).contains(size(.update([register]))))
    #expect((10_000..<11_000).contains(size(.contribute(property: 0, value: long, origin: nil))))
    #expect(size(.delete) < 200)
  }

  @Test func `one large set among small ones is not followed by small batches for ever`() {
    #expect(sizes(of: [65_537] + repeatElement(20, count: 30)).max() == 16)
  }
}
