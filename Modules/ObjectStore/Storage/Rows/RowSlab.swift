import Foundation
import TICDSSQLite

/// The values of some rows of one entity as they came from the store, packed: what fetched objects have instead of values.
///
/// Most objects are fetched to read a few of their properties. So a fetch only copies columns to the end of two arrays, and
/// a value is made when it is asked for; an object that is changed gets values of its own. A slab is shared by the objects
/// of some rows and goes with the last of them, so it is kept small.
final class RowSlab {
  // Objects keep the number of their row in a byte.
  private static let rowLimit: Int32 = 64
  private static let byteLimit = 32_768
  // Offset and length of text and bytes share a word.
  private static let lengthBits: UInt64 = 32

  private let format: RowFormat
  // Plain memory, because arrays would be counted and checked for each value. Of the words there are enough for all rows.
  private let words: UnsafeMutablePointer<UInt64>
  private let maskWords: Int
  private let stride: Int
  // The format holds on to them.
  private let columns: UnsafeMutablePointer<RowFormat.Column>
  private let slots: Int
  // A slab is confined to its context and none of its methods calls out, so accesses cannot overlap; checking each of them
  // at run time took a fifth of the time of a fetch.
  @exclusivity(unchecked) private var bytes: UnsafeMutableRawBufferPointer
  @exclusivity(unchecked) private var length = 0
  @exclusivity(unchecked) private var count: Int32 = 0

  // How many objects have values here; as long as there are any, they hold on to the slab together. Each of them doing so
  // by itself would count atomically, which takes longer than packing a value.
  @exclusivity(unchecked) private var users = 0

  /// - Parameter byteCapacity: Room for text and bytes to begin with.
  init(format: RowFormat, byteCapacity: Int = 0) {
    self.format = format
    maskWords = format.maskWords
    stride = format.stride
    columns = format.columns
    slots = format.sources.count
    words = .allocate(capacity: Int(Self.rowLimit) * stride)
    bytes = .allocate(byteCount: max(512, byteCapacity), alignment: 8)
  }

  /// A slab to go on with, as large as this one turned out to be.
  func next() -> RowSlab { RowSlab(format: format, byteCapacity: length + length / 16) }

  deinit {
    words.deallocate()
    bytes.deallocate()
  }

  /// Called for each object that takes its values from here.
  func enter() {
    if users == 0 { _ = Unmanaged.passRetained(self) }
    users += 1
  }

  /// Called for each object that takes its values from here no more.
  func leave() {
    users -= 1
    if users == 0 { Unmanaged.passUnretained(self).release() }
  }

  /// Whether further rows must go to another slab.
  var isFull: Bool { count >= Self.rowLimit || length >= Self.byteLimit }

  /// Adds a row; the slab must not be full. Gives the row's number.
  func append(_ source: BorrowedRow) -> Int32 {
    let row = words + Int(count) * stride
    let cells = row + maskWords
    // Nearly all rows have one word of these, and clearing memory takes a call.
    if maskWords == 1 { row[0] = 0 } else { for word in 0..<maskWords { row[word] = 0 } }
    // Whether a value is null is asked only of those that read as null does: one call less for nearly all of them.
    for slot in 0..<slots {
      let column = columns[slot]
      if column.kind == .memory {
        cells[slot] = 0
        continue
      }
      let value = source[Int(column.column)]
      var word: UInt64 = 0
      var isNull = false
      switch column.kind {
      case .integer, .reference, .variableReference:
        word = UInt64(bitPattern: value.int64)
        isNull = word == 0 && value.isNull
      case .real:
        word = value.double.bitPattern
        isNull = word == 0 && value.isNull
      case .text:
        if let text = value.text { word = store(text) } else { isNull = true }
      // The file of a long value is read when the value is asked for.
      case .bytes, .external:
        if let blob = value.blob { word = store(blob) } else { isNull = true }
      case .memory: break
      }
      cells[slot] = word
      if isNull { row[slot / 64] |= 1 << UInt64(slot % 64) }
    }
    if !format.entityWords.isEmpty { storeEntities(source, row) }
    count += 1
    return count - 1
  }

  /// Copies text or bytes behind all others. Gives the word that tells where they are.
  @inline(__always)
  private func store(_ content: UnsafeRawBufferPointer) -> UInt64 {
    if length + content.count > bytes.count { grow(toFit: length + content.count) }
    if let source = content.baseAddress, let target = bytes.baseAddress {
      (target + length).copyMemory(from: source, byteCount: content.count)
    }
    defer { length += content.count }
    return UInt64(length) << Self.lengthBits | UInt64(content.count)
  }

  private func grow(toFit size: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, bytes.count * 2), alignment: 8)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
    bytes.deallocate()
    bytes = larger
  }

  private func storeEntities(_ source: BorrowedRow, _ row: UnsafeMutablePointer<UInt64>) {
    for (slot, word) in format.entityWords {
      let entity = format.schema.entity(numbered: source[Int(columns[slot].entity)].int64)
      if entity == nil { row[slot / 64] |= 1 << UInt64(slot % 64) }
      row[word] = UInt64(entity?.index ?? 0)
    }
  }

  /// An integer of a row; `nil` if it is null, or something else is at the slot.
  @inline(__always)
  func integer(_ slot: Int, row: Int32) -> Int64? {
    guard let word = word(slot, row: row), columns[slot].kind == .integer,
      columns[slot].type != .boolean
    else { return nil }
    return Int64(bitPattern: word)
  }

  /// A text of a row; `nil` if it is null, or something else is at the slot.
  @inline(__always)
  func string(_ slot: Int, row: Int32) -> String? {
    guard let word = word(slot, row: row), columns[slot].type == .string else { return nil }
    return String(decoding: content(word), as: UTF8.self)
  }

  /// The word of a value that is not null.
  @inline(__always)
  private func word(_ slot: Int, row: Int32) -> UInt64? {
    guard slot >= 0, slot < slots, row >= 0, row < count else { return nil }
    let row = words + Int(row) * stride
    return row[slot / 64] & 1 << UInt64(slot % 64) == 0 ? row[maskWords + slot] : nil
  }

  /// One value of a row; null if the index is no slot.
  func value(_ slot: Int, row: Int32) -> AttributeValue {
    guard slot >= 0, slot < slots, row >= 0, row < count else { return .null }
    let row = words + Int(row) * stride
    if row[slot / 64] & 1 << UInt64(slot % 64) != 0 { return .null }
    let word = row[maskWords + slot]
    let column = columns[slot]
    switch column.kind {
    case .integer: return column.type == .boolean ? .boolean(word != 0) : .integer(Int64(bitPattern: word))
    case .real: return real(Double(bitPattern: word), column.type)
    case .text: return text(word, column.type)
    case .bytes: return data(word, column.type)
    case .external:
      if case .external(let values, _) = format.sources[slot] { return values.value(content(word)) }
      return .null
    case .reference: return .reference(entity: column.entity, key: Int64(bitPattern: word))
    case .variableReference:
      let entity = format.entityWords[slot].map { row[$0] } ?? 0
      return .reference(entity: Int32(entity), key: Int64(bitPattern: word))
    case .memory:
      if case .memory(let value) = format.sources[slot] { return value }
      return .null
    }
  }

  private func real(_ number: Double, _ type: AttributeType) -> AttributeValue {
    switch type {
    case .float: .float(Float(number))
    case .date: .date(number)
    default: .double(number)
    }
  }

  @inline(__always)
  private func content(_ word: UInt64) -> UnsafeRawBufferPointer {
    let start = Int(word >> Self.lengthBits)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(word & (1 << Self.lengthBits - 1))])
  }

  private func text(_ word: UInt64, _ type: AttributeType) -> AttributeValue {
    let text = String(decoding: content(word), as: UTF8.self)
    switch type {
    case .uri: return .uri(text)
    case .decimal: return Decimal(stored: text).map { .decimal($0) } ?? .null
    default: return .string(text)
    }
  }

  private func data(_ word: UInt64, _ type: AttributeType) -> AttributeValue {
    let content = content(word)
    if type != .uuid { return .data([UInt8](content)) }
    return content.count == 16 ? .uuid(UUID(uuid: content.loadUnaligned(as: uuid_t.self))) : .null
  }

  /// All values of a row.
  func values(row: Int32) -> ContiguousArray<AttributeValue> {
    var values = ContiguousArray<AttributeValue>()
    values.reserveCapacity(format.sources.count)
    for slot in format.sources.indices { values.append(value(slot, row: row)) }
    return values
  }
}
