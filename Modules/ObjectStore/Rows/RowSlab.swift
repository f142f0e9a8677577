import Foundation
import SQLite

/// The values of some rows of one entity as they came from the store, packed: what fetched objects have instead of values.
///
/// Most objects are fetched to read a few of their properties. So a fetch only copies columns to the end of two arrays, and
/// a value is made when it is asked for; an object that is changed gets values of its own. A slab is shared by the objects
/// of some rows and goes with the last of them, so it is kept small.
final class RowSlab {
  private static let rowLimit: Int32 = 64
  private static let byteLimit = 32_768
  // Offset and length of text and bytes share a word.
  private static let lengthBits: UInt64 = 32

  private let format: RowFormat
  // A slab is confined to its context and none of its methods calls out, so accesses cannot overlap; checking each of them
  // at run time took a fifth of the time of a fetch.
  @exclusivity(unchecked) private var words: ContiguousArray<UInt64> = []
  @exclusivity(unchecked) private var bytes: ContiguousArray<UInt8> = []
  @exclusivity(unchecked) private var count: Int32 = 0

  init(format: RowFormat) {
    self.format = format
    words.reserveCapacity(Int(Self.rowLimit) * format.stride)
  }

  /// Whether further rows should go to another slab.
  var isFull: Bool { count >= Self.rowLimit || bytes.count >= Self.byteLimit }

  /// Adds a statement's current row. Gives its number.
  func append(_ statement: Statement) -> Int32 {
    let start = words.count
    for _ in 0..<format.maskWords { words.append(0) }
    for (slot, source) in format.sources.enumerated() {
      switch source {
      case .attribute(let type, let column): append(statement, slot, start, Int(column), type)
      case .reference(_, let column):
        if statement.isNull(Int(column)) {
          appendNull(slot, start)
        } else {
          words.append(UInt64(bitPattern: statement.int64(Int(column))))
        }
      case .variableReference(let column, _):
        words.append(UInt64(bitPattern: statement.int64(Int(column))))
      case .memory: words.append(0)
      }
    }
    if !format.entityWords.isEmpty { appendEntities(statement, start) }
    count += 1
    return count - 1
  }

  @inline(__always)
  private func append(_ statement: Statement, _ slot: Int, _ start: Int, _ column: Int, _ type: AttributeType) {
    if statement.isNull(column) { return appendNull(slot, start) }
    switch type {
    case .integer16, .integer32, .integer64, .boolean:
      words.append(UInt64(bitPattern: statement.int64(column)))
    case .double, .float, .date: words.append(statement.double(column).bitPattern)
    case .string, .uri, .decimal: statement.withText(column) { append($0) }
    case .binary, .transformable, .composite, .undefined, .uuid: statement.withBlob(column) { append($0) }
    case .objectID: appendNull(slot, start)
    }
  }

  @inline(__always)
  private func append(_ content: UnsafeRawBufferPointer) {
    words.append(UInt64(bytes.count) << Self.lengthBits | UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  private func appendNull(_ slot: Int, _ start: Int) {
    words[start + slot / 64] |= 1 << UInt64(slot % 64)
    words.append(0)
  }

  private func appendEntities(_ statement: Statement, _ start: Int) {
    for (slot, source) in format.sources.enumerated() {
      guard case .variableReference(let column, let entityColumn) = source else { continue }
      let entity =
        statement.isNull(Int(column)) ? nil : format.schema.entity(numbered: statement.int64(Int(entityColumn)))
      if entity == nil { words[start + slot / 64] |= 1 << UInt64(slot % 64) }
      words.append(UInt64(entity?.index ?? 0))
    }
  }

  /// One value of a row; null if the index is no slot.
  func value(_ slot: Int, row: Int32) -> AttributeValue {
    guard slot >= 0, slot < format.sources.count else { return .null }
    let start = Int(row) * format.stride
    if words[start + slot / 64] & 1 << UInt64(slot % 64) != 0 { return .null }
    let word = words[start + format.maskWords + slot]
    switch format.sources[slot] {
    case .attribute(let type, _): return value(word, type)
    case .reference(let entity, _): return .reference(entity: entity, key: Int64(bitPattern: word))
    case .variableReference:
      let entity = format.entityWords[slot].map { words[start + $0] } ?? 0
      return .reference(entity: Int32(entity), key: Int64(bitPattern: word))
    case .memory(let value): return value
    }
  }

  private func value(_ word: UInt64, _ type: AttributeType) -> AttributeValue {
    switch type {
    case .integer16, .integer32, .integer64: return .integer(Int64(bitPattern: word))
    case .boolean: return .boolean(word != 0)
    case .double: return .double(Double(bitPattern: word))
    case .float: return .float(Float(Double(bitPattern: word)))
    case .date: return .date(Double(bitPattern: word))
    case .string: return .string(text(word))
    case .uri: return .uri(text(word))
    case .decimal: return Decimal(string: text(word)).map { .decimal($0) } ?? .null
    case .binary, .transformable, .composite, .undefined: return .data([UInt8](bytes[range(word)]))
    case .uuid:
      let range = range(word)
      guard range.count == 16 else { return .null }
      return bytes.withUnsafeBytes {
        .uuid(UUID(uuid: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: uuid_t.self)))
      }
    case .objectID: return .null
    }
  }

  private func range(_ word: UInt64) -> Range<Int> {
    let start = Int(word >> Self.lengthBits)
    return start..<start + Int(word & (1 << Self.lengthBits - 1))
  }

  private func text(_ word: UInt64) -> String {
    let range = range(word)
    return bytes.withUnsafeBufferPointer { String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self) }
  }

  /// All values of a row.
  func values(row: Int32) -> ContiguousArray<AttributeValue> {
    var values = ContiguousArray<AttributeValue>()
    values.reserveCapacity(format.sources.count)
    for slot in format.sources.indices { values.append(value(slot, row: row)) }
    return values
  }
}
