import ByteFixtures
import Testing

@testable import ChangeTracking

@Suite struct PlaceKeyTests {
  private let ann = PlaceKey.Tag(AuthorID(bits: 0x1111_1111_0000_0000))
  private let bob = PlaceKey.Tag(AuthorID(bits: 0x2020_6040_0000_0000))

  @Test(arguments: 0..<50)
  func `keys put anywhere keep the order in which they were put`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var list: [PlaceKey] = []
    for _ in 0..<300 {
      let position = Int.random(in: 0...list.count, using: &random)
      let keys = PlaceKey.between(
        position > 0 ? list[position - 1] : nil, position < list.count ? list[position] : nil,
        count: Int.random(in: 1...4, using: &random), tag: Bool.random(using: &random) ? ann : bob)
      list.insert(contentsOf: keys, at: position)
      if Int.random(in: 0..<3, using: &random) == 0 {
        list.remove(at: Int.random(in: list.indices, using: &random))
      }
    }
    let isAscending = zip(list, list.dropFirst()).allSatisfy { $0 < $1 }
    #expect(isAscending)
  }

  @Test(arguments: [true, false])
  func `what two people put into one gap one by one is not interleaved`(isAppending: Bool) throws {
    // Given a list of two that both know.
    let ends = PlaceKey.between(nil, nil, count: 2, tag: ann)
    func put(_ tag: PlaceKey.Tag) -> [PlaceKey] {
      var own: [PlaceKey] = []
      for _ in 0..<20 {
        let (left, right) = isAppending ? (own.last ?? ends[0], ends[1]) : (ends[0], own.first ?? ends[1])
        let key = PlaceKey.between(left, right, count: 1, tag: tag)[0]
        if isAppending { own.append(key) } else { own.insert(key, at: 0) }
      }
      return own
    }
    // When each puts twenty between them, not knowing of the other.
    let (first, second) = (put(ann), put(bob))
    // Then they stand one after the other.
    let merged = (first + second).sorted()
    #expect(merged == first + second || merged == second + first)
  }

  @Test(arguments: [true, false])
  func `a list that grows at one end has short keys`(isAppending: Bool) throws {
    var last: PlaceKey?
    for _ in 0..<10_000 {
      last = PlaceKey.between(isAppending ? last : nil, isAppending ? nil : last, count: 1, tag: ann)[0]
    }
    #expect(try #require(last).bytes.count <= 10)
  }

  @Test(arguments: 0..<200)
  func `any bytes are a key beside which there is room, or are replaced`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func hostile() -> PlaceKey {
      PlaceKey(
        bytes: (0..<Int.random(in: 0..<30, using: &random)).map { _ in
          [0x20, 0x40, 0x60, 0x80, 0x81, 0x7f, 0, 255, 0x11].randomElement(using: &random) ?? 0
        })
    }
    var keys: [PlaceKey?] = (0..<6).map { _ in Bool.random(using: &random) ? hostile() : nil }
    // Twice, for hostile neighbours may leave no room at first.
    for _ in 0..<2 {
      for (index, key) in PlaceAssignment.changes(keys, tag: ann) { keys[index] = key }
    }
    #expect(!keys.contains(nil))
  }

  @Test func `moving one of a thousand members changes one place`() throws {
    var keys = PlaceAssignment.changes([PlaceKey?](repeating: nil, count: 1_000), tag: ann).map(\.key)
    let moved = keys.remove(at: 700)
    keys.insert(moved, at: 3)
    let changes = PlaceAssignment.changes(keys, tag: bob)
    #expect(changes.map(\.index) == [3])
  }

  @Test func `a list in which keys grow too long is placed anew`() throws {
    var keys: [PlaceKey] = PlaceKey.between(nil, nil, count: 2, tag: ann)
    var longest = 0
    // Always beside the last one put, on alternating sides and by alternating people, which nests ever deeper.
    var position = 1
    for round in 0..<500 {
      var places = keys.map(Optional.some)
      places.insert(nil, at: position)
      for (index, key) in PlaceAssignment.changes(places, tag: round % 2 == 0 ? ann : bob) {
        places[index] = key
      }
      keys = places.compactMap { $0 }
      longest = max(longest, keys.map(\.bytes.count).max() ?? 0)
      if round % 2 == 0 { position += 1 }
    }
    #expect(keys == keys.sorted())
    #expect(longest <= PlaceAssignment.lengthLimit)
  }

  @Test(arguments: 0..<300)
  func `no ascending subsequence is longer than the one found`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let keys = (0..<Int.random(in: 0...10, using: &random)).map { _ in
      Int.random(in: 0..<6, using: &random) == 0 ? nil : Int.random(in: 0..<9, using: &random)
    }
    let found = zip(keys, AscendingSubsequence.members(of: keys)).compactMap { $1 ? $0 : nil }
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
    let longest = (0..<(1 << keys.count)).map { mask -> Int in
      let chosen = keys.indices.filter { mask & (1 << $0) != 0 }.map { keys[$0] }
      let values = chosen.compactMap { $0 }
      guard values.count == chosen.count, zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) else {
        return 0
      }
      return values.count
    }.max()
    #expect(found.count == longest)
  }
}
