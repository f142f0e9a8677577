import Testing

@testable import XMLReading

@Suite struct XMLReaderTests {
  /// What a document holds, as text; read in pieces of a size.
  private func events(
    _ document: String, pieces: Int = .max, limits: XMLLimits = XMLLimits(),
    documentType: XMLDocumentType = .refused
  ) throws -> String {
    var reader = XMLReader(limits: limits, documentType: documentType)
    var found = ""
    var text: [UInt8] = []
    func flush() {
      found += String(decoding: text, as: UTF8.self)
      text = []
    }
    var rest = Array(document.utf8)[...]
    while !rest.isEmpty {
      try reader.read(rest.prefix(pieces)) { event in
        switch event {
        case .start(let element):
          flush()
          let attributes = element.attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
          found += "<{\(element.name.namespace)}\(element.name.local)\(attributes.joined())>"
        case .end:
          flush()
          found += "</>"
        case .text(let bytes): text += bytes
        }
      }
      rest = rest.dropFirst(pieces)
    }
    try reader.finish()
    return found
  }

  private static let sample = """
    \u{FEFF}<?xml version="1.0"?><!-- <a> --><D:a xmlns:D="DAV:" x='>'><b xmlns="n"><![CDATA[<&>]]></b \
    ><D:c/>é&amp;&#233;&#xE9;&lt;</D:a>

    """

  @Test(arguments: [1, 2, 3, 7, 64, Int.max])
  func `a document is read alike in pieces of any size`(_ size: Int) throws {
    #expect(
      try events(Self.sample, pieces: size) == "<{DAV:}a x=>><{n}b><&></><{DAV:}c></>é&éé<</>")
  }

  @Test(arguments: [1, 2, 7, Int.max])
  func `attributes have their references resolved, and their white space is spaces`(_ size: Int) throws {
    let document = "<a one='&lt;&#10;x\r\n y\tz' x:two = \"it's\" xmlns:x='n'/>"
    #expect(try events(document, pieces: size) == "<{}a one=<\nx  y z x:two=it's></>")
  }

  @Test(arguments: [1, 5, Int.max])
  func `a document type that only names a file is passed over where that is asked for`(_ size: Int) throws {
    let document = "<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM \"file:///a>b.dtd\">\n<a>x</a>"
    #expect(try events(document, pieces: size, documentType: .passedOver) == "<{}a>x</>")
    for refused in [
      "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a><!DOCTYPE a><a/>", "<a/><!DOCTYPE a>",
      "<a><!DOCTYPE a></a>", "<!DOCTYPE a", "<!ELEMENT a><a/>", "<a b='1' b='2'/>", "<a b='&c;'/>",
    ] {
      #expect(throws: XMLError.self, "\(refused)") {
        try events(refused, pieces: size, documentType: .passedOver)
      }
    }
  }

  @Test(arguments: [
    "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
    "<a>&b;</a>",
    "<a>&#0;</a>", "<a>&#xD800;</a>", "<a><b></a></b>", "<a></b>", "</a>", "<a/><a/>", "text", "<a>", "",
    "<a",
    "<a b></a>", "<a b=c></a>", "<a b='<'/>", "<p:a/>", "<a>\u{1}</a>", "<a/>text", "<1 ?", "<a>&amp</a>",
    "<a b='1'c='2'/>", "<:a/>", "<![CDATA[x]]><a/>", "<!ELEMENT a><a/>",
  ])
  func `what is not well-formed, or asks for more than a reader should do, is refused`(_ document: String) {
    for size in [1, Int.max] {
      #expect(throws: XMLError.self) { try events(document, pieces: size) }
    }
  }

  @Test func `a document is refused that is too long, too deep, or has too much in one tag`() {
    var limits = XMLLimits()
    limits.document = 1_000
    limits.depth = 8
    limits.markup = 100
    limits.declarations = 4
    #expect(throws: XMLError.self) {
      try events("<a>" + String(repeating: "x", count: 1_000) + "</a>", limits: limits)
    }
    #expect(throws: XMLError.self) {
      try events(String(repeating: "<a>", count: 9) + String(repeating: "</a>", count: 9), limits: limits)
    }
    #expect(throws: XMLError.self) {
      try events("<a b='" + String(repeating: "x", count: 200) + "'/>", pieces: 10, limits: limits)
    }
    #expect(throws: XMLError.self) {
      try events("<a" + (0..<5).map { " xmlns:n\($0)='u'" }.joined() + "/>", limits: limits)
    }
  }

  @Test func `a document with one byte changed is read or refused, and never traps`() throws {
    let document = Array(Self.sample.utf8)
    for index in document.indices {
      for byte in [0, 0x22, 0x26, 0x2F, 0x3C, 0x3E, 0xFF] as [UInt8] {
        var changed = document
        changed[index] = byte
        var reader = XMLReader()
        do {
          try reader.read(changed) { _ in }
          try reader.finish()
        } catch is XMLError {}
      }
    }
  }
}
