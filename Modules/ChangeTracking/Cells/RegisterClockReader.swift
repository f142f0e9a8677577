/// Reads the clocks of an object's registers as its record keeps them: of each the register, the time, and the number of the author.
struct RegisterClockReader {
  private var reader: SetReader

  init(_ bytes: UnsafeRawBufferPointer) { reader = SetReader(bytes) }

  /// The next one; `nil` at the end.
  mutating func next() throws(CodecError) -> (bit: PropertyBit, time: Int64, author: Int64)? {
    if reader.isAtEnd { return nil }
    let bit = PropertyBit(rawValue: Int(clamping: try reader.varint()))
    let time = Int64(bitPattern: try reader.varint())
    return (bit, time, Int64(bitPattern: try reader.varint()))
  }
}
