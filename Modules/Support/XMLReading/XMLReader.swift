/// Reads XML 1.0 with namespaces as it arrives, piece by piece, keeping nothing but the piece of markup that is not complete.
///
/// There are no entities but the five of XML itself: nothing grows, and nothing is fetched. The encoding is UTF-8, whatever the document
/// says. Ends of lines in text stay as they are.
package struct XMLReader {
  private let limits: XMLLimits
  private let documentType: XMLDocumentType
  private var pending: [UInt8] = []
  /// Bytes of the document before those that are pending.
  private var consumed = 0
  private var open: [(name: XMLName, raw: ArraySlice<UInt8>)] = []
  private var scope = NamespaceScope()
  private var hasRoot = false
  private var hasDocumentType = false

  package init(limits: XMLLimits = XMLLimits(), documentType: XMLDocumentType = .refused) {
    self.limits = limits
    self.documentType = documentType
  }

  /// Reads on.
  ///
  /// - Throws: ``XMLError``, or what `take` throws. Nothing more can be read then.
  package mutating func read(_ bytes: some Sequence<UInt8>, _ take: (XMLEvent) throws -> Void) throws {
    pending.append(contentsOf: bytes)
    guard consumed + pending.count <= limits.document else {
      throw XMLError(
        offset: consumed, reason: "it has more than \(limits.document) bytes", isTooLarge: true)
    }
    if consumed == 0 {
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      if pending.starts(with: mark) {
        drop(mark.count)
      } else if mark.starts(with: pending) {
        return
      }
    }
    var position = 0
    while position < pending.count {
      let next =
        try pending[position] == UInt8(ascii: "<")
        ? markup(at: position, take) : text(at: position, take)
      guard let next else { break }
      position = next
    }
    drop(position)
    guard pending.count <= limits.markup else {
      throw error("a piece of markup has more than \(limits.markup) bytes", at: 0)
    }
  }

  /// Ends the input.
  ///
  /// - Throws: ``XMLError`` if the document is not complete.
  package func finish() throws(XMLError) {
    guard hasRoot, open.isEmpty, pending.isEmpty else {
      throw error("the document ends before its root element does", at: pending.count)
    }
  }

  private mutating func drop(_ count: Int) {
    pending.removeFirst(count)
    consumed += count
  }

  private func error(_ reason: String, at position: Int) -> XMLError {
    XMLError(offset: consumed + position, reason: reason)
  }

  // MARK: - Text

  /// Returns the position after what was read; `nil` if more must come first.
  private func text(at start: Int, _ take: (XMLEvent) throws -> Void) throws -> Int? {
    let end = pending[start...].firstIndex(of: UInt8(ascii: "<")) ?? pending.count
    let plain = pending[start..<end].firstIndex {
      $0 == UInt8(ascii: "&") || $0 < 0x20 && !XMLSpace.contains($0)
    }
    guard plain != nil else {
      try takeText(pending[start..<end], at: start, take)
      return end
    }
    var result: [UInt8] = []
    var position = start
    while position < end {
      let byte = pending[position]
      guard byte == UInt8(ascii: "&") else {
        guard byte >= 0x20 || XMLSpace.contains(byte) else {
          throw error("text holds a control character", at: position)
        }
        result.append(byte)
        position += 1
        continue
      }
      guard let semicolon = pending[position..<end].firstIndex(of: UInt8(ascii: ";")) else {
        guard end == pending.count, end - position < 16 else {
          throw error("a reference has no end", at: position)
        }
        break
      }
      guard let character = XMLReference.resolved(pending[position + 1..<semicolon]) else {
        throw error("a reference to an entity that XML does not define", at: position)
      }
      result += Array(String(character).utf8)
      position = semicolon + 1
    }
    try takeText(result[...], at: start, take)
    return position == start ? nil : position
  }

  private func takeText(
    _ text: ArraySlice<UInt8>, at start: Int, _ take: (XMLEvent) throws -> Void
  ) throws {
    if open.isEmpty {
      guard text.allSatisfy(XMLSpace.contains) else {
        throw error("text outside of the root element", at: start)
      }
    } else if !text.isEmpty {
      try take(.text(text))
    }
  }

  // MARK: - Markup

  private mutating func markup(at start: Int, _ take: (XMLEvent) throws -> Void) throws -> Int? {
    let rest = pending[start...]
    guard rest.count > 1 else { return nil }
    switch rest[start + 1] {
    case UInt8(ascii: "!"): return try declaration(at: start, take)
    case UInt8(ascii: "?"): return end(of: [UInt8(ascii: "?"), UInt8(ascii: ">")], from: start + 2)
    case UInt8(ascii: "/"):
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
      try close(XMLSpace.trimmingEnd(pending[start + 2..<end]), at: start, take)
      return end + 1
    default:
      guard let end = XMLTag.end(in: pending, from: start + 1) else { return nil }
      try openElement(pending[start + 1..<end], at: start, take)
      return end + 1
    }
  }

  private mutating func declaration(at start: Int, _ take: (XMLEvent) throws -> Void) throws -> Int? {
    let rest = pending[(start + 2)...]
    let (comment, data) = (Array("--".utf8), Array("[CDATA[".utf8))
    if rest.starts(with: comment) { return end(of: Array("-->".utf8), from: start + 4) }
    if rest.starts(with: data) {
      let content = start + 2 + data.count
      guard let end = end(of: Array("]]>".utf8), from: content) else { return nil }
      guard !open.isEmpty else { throw error("text outside of the root element", at: start) }
      if end - 3 > content { try take(.text(pending[content..<end - 3])) }
      return end
    }
    if comment.starts(with: rest) || data.starts(with: rest) { return nil }
    return try documentType(rest, at: start)
  }

  private mutating func documentType(_ rest: ArraySlice<UInt8>, at start: Int) throws -> Int? {
    let mark = Array("DOCTYPE".utf8)
    guard documentType == .passedOver, !hasRoot, !hasDocumentType,
      rest.starts(with: mark) || mark.starts(with: rest)
    else { throw error("a document type is refused", at: start) }
    guard let end = XMLTag.end(in: pending, from: rest.startIndex) else { return nil }
    guard !pending[rest.startIndex..<end].contains(UInt8(ascii: "[")) else {
      throw error("a document type with declarations of its own is refused", at: start)
    }
    hasDocumentType = true
    return end + 1
  }

  /// The position after a mark.
  private func end(of mark: [UInt8], from start: Int) -> Int? {
    guard start <= pending.count - mark.count else { return nil }
    for position in start...(pending.count - mark.count)
    where pending[position] == mark[0] && pending[position..<position + mark.count].elementsEqual(mark) {
      return position + mark.count
    }
    return nil
  }

  private mutating func openElement(
    _ content: ArraySlice<UInt8>, at start: Int, _ take: (XMLEvent) throws -> Void
  ) throws {
    let isEmpty = content.last == UInt8(ascii: "/")
    guard let tag = XMLTag(isEmpty ? content.dropLast() : content) else {
      throw error("a tag is not well-formed", at: start)
    }
    if open.isEmpty {
      guard !hasRoot else { throw error("there is more than one root element", at: start) }
      hasRoot = true
    }
    guard open.count < limits.depth else {
      throw error("there are more than \(limits.depth) elements within each other", at: start)
    }
    guard scope.enter(tag.declarations, limit: limits.declarations) else {
      throw error("there are more than \(limits.declarations) namespaces", at: start)
    }
    guard let name = scope.name(tag.name) else {
      throw error("a prefix stands for no namespace", at: start)
    }
    try take(.start(XMLStart(name: name, attributes: tag.attributes, offset: consumed + start)))
    if isEmpty {
      scope.leave()
      try take(.end(name))
    } else {
      open.append((name, tag.name))
    }
  }

  private mutating func close(
    _ raw: ArraySlice<UInt8>, at start: Int, _ take: (XMLEvent) throws -> Void
  ) throws {
    guard let last = open.popLast(), last.raw.elementsEqual(raw) else {
      throw error("an element ends that did not begin", at: start)
    }
    scope.leave()
    try take(.end(last.name))
  }
}
