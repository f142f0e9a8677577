/// White space of XML 1.0, section 2.3.
package enum XMLSpace {
  package static func contains(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: true
    default: false
    }
  }

  /// The bytes without white space at their end.
  package static func trimmingEnd(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let last = bytes.last, contains(last) { bytes = bytes.dropLast() }
    return bytes
  }
}
