import Foundation
import Testing

@testable import SyncProtocol

@Suite struct InformationFileTests {
  private let document = DocumentInformation(
    identifier: "notes", description: "Notes <&> “Grüße”\n", originalClient: "client",
    originalClientDescription: "Laptop", userInformation: ["a": "1", "b": ""])

  @Test func `a description of a document comes back as it was written`() throws {
    #expect(try DocumentInformation(document.bytes) == document)
  }

  @Test func `a description of a client comes back as it was written`() throws {
    let device = DeviceInformation(
      identifier: "client", description: "]]> &amp;", userInformation: ["k": "v"])
    #expect(try DeviceInformation(device.bytes) == device)
  }

  @Test func `a character that must be escaped may have a combining one after it`() throws {
    let device = DeviceInformation(identifier: "client", description: ">\u{73A} &\u{301}<\u{301}")
    #expect(
      try DeviceInformation(device.bytes).description.unicodeScalars.elementsEqual(
        device.description.unicodeScalars))
  }

  @Test func `other programs read what is written as a property list`() throws {
    let list = try PropertyListSerialization.propertyList(from: Data(document.bytes), format: nil)
    let dictionary = try #require(list as? [String: Any])
    #expect(dictionary["kTICDSDocumentIdentifier"] as? String == "notes")
    #expect(dictionary["kTICDSDocumentDescription"] as? String == document.description)
    #expect(dictionary["TICDSDocumentFormat"] as? String == "compact")
  }

  @Test func `no flipped bit makes a document of ours one of the classic system`() {
    let whole = document.bytes
    for bit in 0..<(whole.count * 8) {
      var bytes = whole
      bytes[bit / 8] ^= 1 << (bit % 8)
      #expect((try? DocumentInformation(bytes))?.format != .classic, "bit \(bit)")
    }
  }

  @Test func `what other programs write is read`() throws {
    let list: [String: Any] = [
      "kTICDSDocumentIdentifier": "notes", "kTICDSDocumentDescription": "a\u{27}b\"c", "number": 3,
      "flag": true,
      "kTICDSDocumentUserInfo": ["k": "v", "n": 1] as [String: Any],
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    let information = try DocumentInformation([UInt8](data))
    #expect(information.description == "a\u{27}b\"c")
    #expect(information.format == .classic)
    #expect(information.userInformation == ["k": "v"])
  }

  @Test(arguments: [
    "", "<", "<plist>", "<plist><dict>", "<plist><dict><key>a</key></dict></plist>",
    "<plist><dict><key>a</key><array/></dict></plist>", "<plist><dict><string>a</string></dict></plist>",
    "<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><dict><key>a</key><string>&a;</string></dict></plist>",
    "<plist><dict><key>a</key><dict><key>b</key><dict><key>c</key></dict></dict></dict></plist>",
    "<plist><dict><key>&#xD800;</key><string/></dict></plist>", "<plist><dict/>",
    "<plist><dict><key>a</key><string>\u{0}</string></dict></plist>",
    "<plist><dict><key>&#7;</key><string/></dict></plist>",
    "<plist><dict><key>a</key><string>&#xFFFE;</string></dict></plist>",
  ])
  func `hostile or broken files are refused`(_ text: String) {
    #expect(throws: FormatError.self) { try InformationFile(Array(text.utf8)) }
  }

  @Test func `what XML cannot express is left out when it is written, and the rest is read as it was`() throws
  {
    var file = InformationFile()
    file.texts["key"] = "a\u{0}b\u{FFFF}c\r\td\u{7}"

    #expect(try InformationFile(file.bytes).texts == ["key": "abc\r\td"])
  }

  @Test func `a file of endless nesting or size is refused without effort`() {
    let nested = String(repeating: "<dict><key>a</key>", count: 3_000)
    #expect(throws: FormatError.self) { try InformationFile(Array("<plist>\(nested)".utf8)) }
    #expect(throws: FormatError.self) { try InformationFile([UInt8](repeating: 32, count: 1 << 20)) }
  }
}
