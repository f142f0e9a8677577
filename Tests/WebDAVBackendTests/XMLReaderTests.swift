import Testing

@testable import WebDAVBackend

@Suite struct XMLReaderTests {
  /// What a document holds, as text; read in pieces of a size.
  private func events(_ document: String, pieces: Int = .max, limits: XMLLimits = XMLLimits()) throws
    -> String
  {
    var reader = XMLReader(limits: limits)
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
        case .start(let name):
          flush()
          found += "<{\(name.namespace)}\(name.local)>"
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
      try events(Self.sample, pieces: size) == "<{DAV:}a><{n}b><&></><{DAV:}c></>é&éé<</>")
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
