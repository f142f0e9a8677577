import Foundation

/// A file of this device that is written and compared a piece at a time, so that it never takes memory itself.
struct LargeFile {
  private static let piece = LawContext.bytes(1 << 20, seed: 99)
  let path: String
  let size: Int
  /// Files of different seeds differ in every piece.
  let seed: UInt8

  func write() throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    for start in stride(from: 0, to: size, by: Self.piece.count) {
      try handle.write(contentsOf: content(from: start))
    }
    try handle.close()
  }

  /// All of it at once, where it is not that large.
  func content() throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }

  func matches(_ file: String) throws -> Bool {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
    for start in stride(from: 0, to: size, by: Self.piece.count) {
      let expected = content(from: start)
      guard let found = try handle.read(upToCount: expected.count), found == expected else { return false }
    }
    return try handle.read(upToCount: 1)?.isEmpty ?? true
  }

  /// The piece that starts at a multiple of the pieces' size: the same bytes but for the first, which are its number.
  private func content(from start: Int) -> Data {
    var data = Data(Self.piece.prefix(size - start))
    let stamp = UInt32(truncatingIfNeeded: start / Self.piece.count) << 8 | UInt32(seed)
    for index in 0..<min(4, data.count) { data[index] = UInt8(truncatingIfNeeded: stamp >> (8 * index)) }
    return data
  }
}
