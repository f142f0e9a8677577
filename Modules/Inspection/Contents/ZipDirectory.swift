/// What a zip archive says that it contains. Nothing is inflated.
struct ZipDirectory {
  /// An entry of the archive.
  struct Entry {
    var name: String
    var size: UInt32
  }

  /// How many entries the archive says there are.
  private(set) var count = 0
  /// The first entries.
  private(set) var entries: [Entry] = []

  /// Reads the directory at the end of an archive; `nil` if there is none.
  init?(_ bytes: [UInt8]) {
    // The record at the end has 22 bytes, and a comment of at most 65,535 after it.
    guard bytes.count >= 22 else { return nil }
    let lowest = max(0, bytes.count - 22 - 65_535)
    guard
      let end = stride(from: bytes.count - 22, through: lowest, by: -1).first(where: {
        bytes[$0] == 0x50 && bytes[$0 + 1] == 0x4b && bytes[$0 + 2] == 5 && bytes[$0 + 3] == 6
      })
    else { return nil }
    func number(at offset: Int, _ length: Int) -> Int {
      (0..<length).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    count = number(at: end + 10, 2)
    var offset = number(at: end + 16, 4)
    while entries.count < min(count, ContentRecognition.listLimit) {
      guard offset >= 0, offset + 46 <= end, number(at: offset, 4) == 0x0201_4b50 else { break }
      let length = number(at: offset + 28, 2)
      guard offset + 46 + length <= end else { break }
      let name = String(decoding: bytes[offset + 46..<offset + 46 + length], as: UTF8.self)
      entries.append(Entry(name: name, size: UInt32(number(at: offset + 24, 4))))
      offset += 46 + length + number(at: offset + 30, 2) + number(at: offset + 32, 2)
    }
  }

  var facts: [FileContent.Fact] {
    [
      .init("entryCount", .init(count)),
      .init(
        "entries",
        .list(
          entries.map { .group([.init("name", .text($0.name)), .init("size", .number(Int64($0.size)))]) })),
    ]
  }
}
