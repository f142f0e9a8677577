import XMLReading

/// One `response` of a 207 answer (RFC 4918, section 14.24).
struct MultistatusResponse: Equatable, Sendable {
  /// The properties that the server has.
  struct Properties: Equatable, Sendable {
    /// Whether it is a folder; `nil` if the server does not say.
    var isCollection: Bool?
    /// Bytes.
    var length: Int64?
    /// As the server writes it.
    var modified: String?
    /// With quotation marks, and `W/` if it is weak.
    var etag: String?
  }

  /// As the server writes it.
  var href: String
  /// The status of the whole resource, where there is one.
  var status: Int?
  var properties = Properties()
  /// Whether the server has all properties, some, or said of each that it has not.
  var hasProperties = false
  /// The status of the properties that it does not have.
  var missingStatus: Int?
}

/// Reads a 207 answer as it arrives.
struct MultistatusReader {
  private var xml: XMLReader
  private var content: MultistatusContent

  init(limits: XMLLimits = XMLLimits(), entries: Int = MultistatusContent.entryLimit) {
    xml = XMLReader(limits: limits)
    content = MultistatusContent(limit: entries)
  }

  /// - Throws: ``XMLError``.
  mutating func read(_ bytes: some Sequence<UInt8>) throws {
    // Moved out, so that the lists are not copied.
    var content = content
    self.content = MultistatusContent(limit: 0)
    defer { self.content = content }
    try xml.read(bytes) { try content.take($0) }
  }

  /// The responses that have come so far.
  var responses: [MultistatusResponse] { content.responses }

  /// All responses, once everything has come.
  ///
  /// - Throws: ``XMLError`` if the document is not complete.
  func finish() throws(XMLError) -> [MultistatusResponse] {
    try xml.finish()
    return content.responses
  }
}
