import CoreDataFormats
import Testing

@Suite struct XMLStoreTests {
  /// A store as macOS writes it, with other contents.
  private func store(_ objects: String, metadata: String = "") -> [UInt8] {
    Array(
      """
      <?xml version="1.0"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>134481920</version>
              <UUID>8C14BE4B-3F6B-4EBB-8502-7F2A8209504E</UUID>
              <nextObjectID>105</nextObjectID>
              <metadata>
                  <plist version="1.0">
                      <dict>\(metadata)</dict>
                  </plist>
              </metadata>
          </databaseInfo>
          \(objects)
      </database>
      """.utf8)
  }

  private func value(_ text: String, _ type: String) throws -> ArchivedObject? {
    try XMLStore(
      store("<object type='NOTE' id='z102'><attribute name='a' type='\(type)'>\(text)</attribute></object>")
    ).nodes.first?.attributes["a"]
  }

  @Test func `objects come with their attributes, and relationships with whom they lead to`() throws {
    let read = try XMLStore(
      store(
        """
        <object type="NOTE" id="z102">
            <attribute name="title" type="string">a &lt;b> \\u3c00\\u2600\\u3e00</attribute>
            <relationship name="folder" type="1/1" destination="FOLDER" idrefs="z103"></relationship>
            <relationship name="tags" type="0/0" destination="TAG" idrefs="z104 z105"/>
        </object>
        <object type="FOLDER" id="z103"><relationship name="notes" type="0/0" destination="NOTE"/></object>
        """))

    let note = try #require(read.nodes.first)
    #expect(read.nodes.map(\.identifier) == ["z102", "z103"])
    #expect(note.entityName == "NOTE" && note.attributes == ["title": .string("a <b> <&>")])
    #expect(note.relationships["folder"]?.identifiers == ["z103"])
    #expect(note.relationships["folder"]?.isToMany == false)
    #expect(note.relationships["tags"]?.identifiers == ["z104", "z105"])
    #expect(note.relationships["tags"]?.isToMany == true)
    #expect(read.nodes.last?.relationships["notes"]?.identifiers == [])
    #expect(read.nextNumber == 105)
  }

  @Test func `metadata are those of the property list, with the identity and kind of the store`() throws {
    let read = try XMLStore(
      store(
        "",
        metadata: """
          <key>NSPersistenceFrameworkVersion</key><integer>1244</integer>
          <key>NSStoreModelVersionHashes</key><dict><key>Note</key><data>AQI=</data></dict>
          <key>list</key><array><string>x &amp; y</string><real>0.5</real><true/><false/>
          <date>2001-01-02T00:00:01Z</date><date>1969-12-31T00:00:00Z</date></array>
          """))

    #expect(
      read.metadata == [
        "NSStoreType": .string("XML"), "NSStoreUUID": .string("8C14BE4B-3F6B-4EBB-8502-7F2A8209504E"),
        "NSPersistenceFrameworkVersion": .integer(1_244),
        "NSStoreModelVersionHashes": .dictionary([.string("Note"): .data([1, 2])]),
        "list": .array([
          .string("x & y"), .real(0.5), .boolean(true), .boolean(false), .date(86_401), .date(-978_393_600),
        ]),
      ])
  }

  @Test(
    arguments: [
      ("-7", "int16", .integer(-7)), ("70000", "int32", .integer(70_000)),
      ("9007199254740993", "int64", .integer(9_007_199_254_740_993)), ("0.1", "double", .real(0.1)),
      ("0.5", "float", .float(0.5)), ("1", "bool", .boolean(true)), ("0", "bool", .boolean(false)),
      ("330000000.25", "date", .date(330_000_000.25)), ("", "string", .string("")),
      (" é\n", "string", .string(" é\n")), ("AAEC\n  Aw==", "binary", .data([0, 1, 2, 3])),
      ("", "binary", .data([])),
    ] as [(String, String, ArchivedObject)])
  func `a value is of the type that stands beside it`(text: String, type: String, value: ArchivedObject)
    throws
  {
    #expect(try self.value(text, type) == value)
  }

  @Test func `decimals and identifiers keep all their digits`() throws {
    guard case .decimal(let decimal)? = try value("-12345678901234567890.123456789", "decimal") else {
      throw CoreDataFormatError(.malformed, in: .xmlStore, expected: "a decimal")
    }
    #expect("\(decimal)".contains("12345678901234567890.123456789"))
    guard case .uuid(let identifier)? = try value("8C14BE4B-3F6B-4EBB-8502-7F2A8209504E", "uuid") else {
      throw CoreDataFormatError(.malformed, in: .xmlStore, expected: "a UUID")
    }
    #expect(identifier.high == 0x8C14_BE4B_3F6B_4EBB && identifier.low == 0x8502_7F2A_8209_504E)
  }

  @Test(arguments: [
    ("a", "int16"), ("70000", "int16"), ("1.5", "int32"), ("x", "bool"), ("AAE", "binary"),
    ("A=E=", "binary"),
    ("8C14BE4B", "uuid"), ("", "date"),
  ])
  func `a text that is no value of its type is refused`(text: String, type: String) {
    let error = #expect(throws: CoreDataFormatError.self) { try value(text, type) }
    #expect(error?.code == .malformed && error?.format == .xmlStore)
  }

  @Test(arguments: [
    "<object type='NOTE'/>", "<object id='z1'/>", "<object type='A' id='z1'/><object type='B' id='z1'/>",
    "<object type='A' id='z1'><attribute name='a'>x</attribute></object>",
    "<object type='A' id='z1'><attribute name='a' type='date'><b/></attribute></object>",
    "<object type='A' id='z1'><relationship name='a' type='1' destination='B'/></object>",
    "<object type='A' id='z1'><relationship name='a' type='0/1'/></object>",
    "<object type='A' id='z1'>"
      + String(repeating: "<attribute name='a' type='bool'>1</attribute>", count: 2) + "</object>",
    "<object type='A' id='z1'>", "</database><database>",
  ])
  func `what is cut short or contradicts itself is refused with its place`(objects: String) {
    let error = #expect(throws: CoreDataFormatError.self) { try XMLStore(store(objects)) }
    #expect(error?.format == .xmlStore && error?.offset != nil)
  }

  @Test(arguments: [
    "<string>x</string>", "<key>a</key>", "<key>a</key><key>b</key>", "<key>a</key><data>x</data>",
    "<key>a</key><date>2001</date>", "<key>a</key><integer>x</integer>", "<key>a</key><thing/>",
  ])
  func `metadata that are no property list are refused`(metadata: String) {
    #expect(throws: CoreDataFormatError.self) { try XMLStore(store("", metadata: metadata)) }
  }

  @Test func `a type that is not known is said to be so`() {
    let error = #expect(throws: CoreDataFormatError.self) { try value("x", "colour") }
    #expect(error?.code == .unsupported && error?.description.contains("“colour”") == true)
  }

  @Test func `limits hold before memory is spent`() {
    let many = String(repeating: "<object type='A' id='z1'/>", count: 40)
    for limits in [DecodingLimits(bytes: 100), DecodingLimits(objects: 20)] {
      let error = #expect(throws: CoreDataFormatError.self) { try XMLStore(store(many), limits: limits) }
      #expect(error?.code == .limitExceeded || error?.code == .malformed)
    }
    let deep = String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)
    #expect(throws: CoreDataFormatError.self) { try XMLStore(store(deep)) }
    let lists = String(repeating: "<array>", count: 300) + String(repeating: "</array>", count: 300)
    #expect(throws: CoreDataFormatError.self) {
      try XMLStore(store("", metadata: "<key>a</key>\(lists)"))
    }
  }

  @Test func `the beginning of a file tells whether it is one`() {
    #expect(XMLStore.isXMLStore(store("").prefix(512)))
    for other in ["", "<?xml version='1.0'?><plist/>", "<!DOCTYPE html>", "database"] {
      #expect(!XMLStore.isXMLStore(Array(other.utf8)))
    }
  }
}
