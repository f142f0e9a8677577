/// Property lists in Apple's binary format (`bplist00`), read and written without Foundation, which on Linux has
/// no public type for the references of keyed archives.
///
/// The format: a header of 8 bytes, the objects, a table with each object's offset, a trailer of 32 bytes that says
/// how wide offsets and references are. It is described in the comments of Apple's `CFBinaryPList.c`.
public enum BinaryPropertyList {
  static let magic: [UInt8] = Array("bplist00".utf8)
  static let trailerLength = 32

  /// Whether bytes begin as a binary property list does.
  public static func isBinaryPropertyList(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: magic)
  }

  /// Reads a property list.
  ///
  /// Text that is not valid Unicode (lone surrogates) is repaired with U+FFFD. A dictionary key must be text.
  ///
  /// - Throws: ``CoreDataFormatError`` that names the offset, counted from the start of the slice's base collection.
  public static func decode(
    _ bytes: ArraySlice<UInt8>, limits: DecodingLimits = .standard
  ) throws(CoreDataFormatError) -> PropertyList {
    var reader = try BinaryPropertyListReader(bytes, limits: limits)
    return try reader.topObject()
  }

  /// Reads a property list from a whole array.
  ///
  /// - Throws: ``CoreDataFormatError`` that names the offset.
  public static func decode(
    _ bytes: [UInt8], limits: DecodingLimits = .standard
  ) throws(CoreDataFormatError) -> PropertyList {
    try decode(bytes[...], limits: limits)
  }

  /// Writes a property list. Equal values give equal bytes: keys are sorted, equal text, data and integers are
  /// stored once.
  public static func encode(_ value: PropertyList) -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    return writer.encode(value)
  }
}
