import Testing

@testable import UntrustedBytes

/// Bytes as digits in the names of files.
@Suite struct HexadecimalDigitsTests {
  @Test func `what is written is read again`() {
    let bytes = (0...255).map { UInt8($0) }
    let text = HexadecimalDigits.text(bytes)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
    #expect(HexadecimalDigits.bytes(text) == bytes)
    #expect(HexadecimalDigits.bytes(text.dropFirst(2)) == Array(bytes.dropFirst()))
    #expect(HexadecimalDigits.bytes("") == [])
  }

  @Test(arguments: ["a", "AB", "0g", "é", "0x00", " 00 ", "ab\u{301}c"])
  func `nothing else is read`(_ text: String) {
    #expect(HexadecimalDigits.bytes(text) == nil)
  }
}
