/// Where the rows of a sound SQLite file lie, read with the file format's description alone.
struct PageFootprint {
  struct Row {
    let number: Int64
    /// The pages on the way to the row, its leaf among them, and those that long values go on in. By number, from 1.
    let pages: Set<Int>
    /// What decides what is read: inner pages and pages of long values whole, of the leaf its own cell and what finds it.
    let bytes: [Range<Int>]
  }

  private let bytes: [UInt8]
  private let pageSize: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
  }

  /// The rows of the table whose root is at a page.
  func rows(root: Int) -> [Row] { rows(page: root, path: [], inner: []) }

  /// The pages of the table whose root is at a page.
  func pages(root: Int) -> Set<Int> { rows(root: root).reduce(into: [root]) { $0.formUnion($1.pages) } }

  private func span(_ page: Int) -> Range<Int> { (page - 1) * pageSize..<page * pageSize }

  private func number(_ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private func variable(_ offset: inout Int) -> Int64 {
    var value: UInt64 = 0
    for index in 0..<9 {
      let byte = bytes[offset]
      offset += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value)
  }

  private func rows(page: Int, path: Set<Int>, inner: [Range<Int>]) -> [Row] {
    let start = span(page).lowerBound
    let header = page == 1 ? start + 100 : start
    let isLeaf = bytes[header] == 13
    let pointers = header + (isLeaf ? 8 : 12)
    let cells = (0..<number(header + 3, 2)).map { start + number(pointers + 2 * $0, 2) }
    let path = path.union([page])
    guard isLeaf else {
      let children = cells.map { number($0, 4) } + [number(header + 8, 4)]
      return children.flatMap { rows(page: $0, path: path, inner: inner + [span(page)]) }
    }
    // A row is found by comparing the numbers of others on its page.
    let finding = cells.map { cell in
      var end = cell
      _ = (variable(&end), variable(&end))
      return cell..<end
    }
    let common = inner + [header..<pointers + 2 * cells.count] + finding
    return cells.map { row(at: $0, path: path, common: common) }
  }

  private func row(at cell: Int, path: Set<Int>, common: [Range<Int>]) -> Row {
    var offset = cell
    let length = Int(variable(&offset))
    let number = variable(&offset)
    var pages = path
    var own = common
    var local = length
    if length > pageSize - 35 {
      let least = (pageSize - 12) * 32 / 255 - 23
      let wanted = least + (length - least) % (pageSize - 4)
      local = wanted <= pageSize - 35 ? wanted : least
      // Where a file can be vacuumed step by step, its second page says how long values go on.
      pages.insert(2)
      own.append(span(2))
      var next = self.number(offset + local, 4)
      while next != 0 {
        pages.insert(next)
        own.append(span(next))
        next = self.number(span(next).lowerBound, 4)
      }
      local += 4
    }
    own.append(cell..<offset + local)
    return Row(number: number, pages: pages, bytes: own)
  }
}
