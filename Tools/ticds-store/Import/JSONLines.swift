import CommandLineTool

/// The lines of an input that say something. Whether it is made of JSON lines at all is seen from the first two: in a table or a list each
/// line would else be a mistake of its own.
struct JSONLines {
  typealias Line = (number: Int, bytes: [UInt8])

  private var reader: LineReader
  private var waiting: [Line] = []

  /// - Throws: ``ToolFailure`` if the input begins as no JSON lines do.
  init(_ reader: LineReader, input: String) throws {
    self.reader = reader
    guard let first = try next() else { return }
    waiting.append(first)
    if Self.begins(first, with: "{") { return }
    // One line that was spoilt is named with all other mistakes.
    if !Self.begins(first, with: "["), let second = try following() {
      waiting.append(second)
      if Self.begins(second, with: "{") { return }
    }
    throw ToolFailure(
      .damaged,
      "nothing was imported: \(input) holds no JSON lines, for line \(first.number) does not begin with {",
      advice:
        "give what `export --jsonl` or `dump` wrote, or write each object as a line like {\"entity\":\"Note\",\"attributes\":{\"title\":\"a\"}}"
    )
  }

  /// The next line that is not blank; `nil` after the last.
  mutating func next() throws -> Line? {
    if waiting.isEmpty { return try following() }
    return waiting.removeFirst()
  }

  private mutating func following() throws -> Line? {
    while let bytes = try reader.next() {
      if !bytes.allSatisfy(Self.isSpace) { return (reader.number, bytes) }
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

  private static func begins(_ line: Line, with character: Unicode.Scalar) -> Bool {
    // A byte order mark may come before a text.
    let text = line.bytes.starts(with: [0xef, 0xbb, 0xbf]) ? line.bytes.dropFirst(3) : line.bytes[...]
    return text.first { !isSpace($0) } == UInt8(ascii: character)
  }
}
