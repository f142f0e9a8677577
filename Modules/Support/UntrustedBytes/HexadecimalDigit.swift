/// A digit to the base of 16 in lower case, as the names of files have them.
package enum HexadecimalDigit {
  /// The value of a character; `nil` if it is no such digit.
  @inlinable
  package static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case 48...57: character - 48
    case 97...102: character - 87
    default: nil
    }
  }
}
