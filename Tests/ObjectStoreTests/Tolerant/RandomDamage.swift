/// A way in which a file of pages goes wrong.
enum RandomDamage {
  static func apply(to bytes: inout [UInt8], using random: inout SeededGenerator) {
    let pageSize = 4_096
    let count = bytes.count / pageSize
    let page = Int.random(in: 0..<count, using: &random) * pageSize
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 1..<bytes.count - 100, using: &random))
    case 1: for index in max(page, 100)..<page + pageSize { bytes[index] = 0 }
    case 2:
      for index in max(page, 100)..<page + pageSize {
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
    case 3:
      let other = Int.random(in: 1..<count, using: &random) * pageSize
      for index in 0..<pageSize where page > 0 { bytes.swapAt(page + index, other + index) }
    case 4:
      // What tells SQLite where a page's cells are.
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[max(page, 100) + Int.random(in: 0..<40, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
    case 5:
      let copied = Array(bytes[page..<page + pageSize])
      let other = Int.random(in: 1..<count, using: &random) * pageSize
      for index in 0..<pageSize where page > 0 { bytes[other + index] = copied[index] }
    default:
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        bytes[Int.random(in: 16..<bytes.count, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
  }
}
