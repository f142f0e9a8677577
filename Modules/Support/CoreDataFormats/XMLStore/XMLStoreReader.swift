import XMLReading

extension XMLStore {
  /// Reads a store.
  ///
  /// The encoding is UTF-8. The document type that such files name is not fetched.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - limits: What to accept at most.
  /// - Throws: ``CoreDataFormatError`` that names the offset in the file.
  public init(_ bytes: [UInt8], limits: DecodingLimits = .standard) throws(CoreDataFormatError) {
    guard bytes.count <= limits.bytes else {
      throw CoreDataFormatError(
        .limitExceeded, in: .xmlStore, at: 0, expected: "at most \(limits.bytes) bytes")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw CoreDataFormatError(.malformed, in: .xmlStore, expected: "UTF-8")
    }
    var xml = XMLLimits()
    (xml.document, xml.markup, xml.depth) = (bytes.count, bytes.count, limits.depth)
    var document = XMLReader(limits: xml, documentType: .passedOver)
    var reader = XMLStoreReader(limits: limits)
    do {
      try document.read(bytes) { try reader.take($0) }
      try document.finish()
    } catch let error as CoreDataFormatError {
      throw error
    } catch let error as XMLError {
      throw CoreDataFormatError(
        .malformed, in: .xmlStore, at: error.offset, expected: "well-formed XML, but \(error.reason)")
    } catch {
      throw CoreDataFormatError(.malformed, in: .xmlStore, expected: "XML that can be read: \(error)")
    }
    self.init(nodes: reader.nodes, metadata: reader.metadata, nextNumber: reader.nextNumber)
  }
}

/// Makes a store of the events of its XML.
struct XMLStoreReader {
  private(set) var nodes: [XMLStore.Node] = []
  private(set) var metadata: [String: ArchivedObject] = [BinaryStore.storeTypeKey: .string("XML")]
  private(set) var nextNumber: Int64?

  private let limits: DecodingLimits
  private var identifiers: Set<String> = []
  private var count = 0
  /// The local names of the elements that are open.
  private var path: [String] = []
  private var text: [UInt8] = []
  private var offset = 0
  private var attribute: (name: String, type: String)?
  private var list = XMLPropertyList()

  init(limits: DecodingLimits) { self.limits = limits }

  mutating func take(_ event: XMLEvent) throws(CoreDataFormatError) {
    switch event {
    case .start(let element): try begin(element)
    case .end: try end()
    case .text(let bytes): text += bytes
    }
  }

  private func malformed(_ expectation: String) -> CoreDataFormatError {
    CoreDataFormatError(.malformed, in: .xmlStore, at: offset, expected: expectation)
  }

  private mutating func begin(_ element: XMLStart) throws(CoreDataFormatError) {
    offset = element.offset
    let name = element.name.local
    defer {
      path.append(name)
      text = []
    }
    count += 1
    guard count <= limits.objects else {
      throw CoreDataFormatError(
        .limitExceeded, in: .xmlStore, at: offset, expected: "at most \(limits.objects) elements")
    }
    guard !path.contains("plist") else { return try list.begin(name, at: offset) }
    switch (path.last, name) {
    case (nil, "database"): return
    case (nil, _):
      throw CoreDataFormatError(.otherFormat, in: .xmlStore, at: offset, expected: "a <database>")
    case ("database", "object"): try beginObject(element.attributes)
    case ("object", "attribute"):
      attribute = (try required("name", element.attributes), try required("type", element.attributes))
    case ("object", "relationship"): try addRelationship(element.attributes)
    case ("attribute", _), ("relationship", _): throw malformed("no <\(name)> within a property")
    default: return
    }
  }

  private mutating func end() throws(CoreDataFormatError) {
    guard let name = path.popLast() else { return }
    defer { text = [] }
    if path.contains("plist") { return try list.end(name, text) }
    switch (path.last, name) {
    case ("metadata", "plist"):
      guard case .dictionary(let pairs)? = list.result else { throw malformed("a dictionary of metadata") }
      for (key, value) in pairs {
        if case .string(let name) = key { metadata[name] = value }
      }
    case ("databaseInfo", "UUID"):
      metadata[BinaryStore.storeUUIDKey] = .string(String(decoding: text, as: UTF8.self))
    case ("databaseInfo", "nextObjectID"):
      nextNumber = Int64(String(decoding: text, as: UTF8.self).trimmingSpace)
    case ("object", "attribute"): try endAttribute()
    default: return
    }
  }

  private func required(
    _ name: String, _ attributes: [String: String]
  ) throws(CoreDataFormatError) -> String {
    guard let value = attributes[name], !value.isEmpty else { throw malformed("“\(name)”") }
    return value
  }

  private mutating func beginObject(_ attributes: [String: String]) throws(CoreDataFormatError) {
    let identifier = try required("id", attributes)
    guard identifiers.insert(identifier).inserted else { throw malformed("one object “\(identifier)”") }
    nodes.append(
      XMLStore.Node(
        identifier: identifier, entityName: try required("type", attributes), attributes: [:],
        relationships: [:]))
  }

  private mutating func addRelationship(_ attributes: [String: String]) throws(CoreDataFormatError) {
    let name = try required("name", attributes)
    // The least and the greatest number of targets, of which 0 means any.
    let numbers = attributes["type"]?.split(separator: "/", omittingEmptySubsequences: false) ?? []
    guard numbers.count == 2, let most = Int(numbers[1]), Int(numbers[0]) != nil else {
      throw malformed("two numbers of targets as the type of “\(name)”")
    }
    let identifiers = (attributes["idrefs"] ?? "").split(separator: " ").map(String.init)
    count += identifiers.count
    let relationship = XMLStore.Relationship(
      destination: try required("destination", attributes), identifiers: identifiers, isToMany: most != 1)
    guard nodes[nodes.count - 1].relationships.updateValue(relationship, forKey: name) == nil else {
      throw malformed("one relationship “\(name)”")
    }
  }

  private mutating func endAttribute() throws(CoreDataFormatError) {
    guard let (name, type) = attribute else { return }
    attribute = nil
    let text = String(decoding: text, as: UTF8.self)
    guard XMLStoreValue.types.contains(type) else {
      throw CoreDataFormatError(
        .unsupported, in: .xmlStore, at: offset, expected: "a known type of “\(name)”, not “\(type)”")
    }
    guard let value = XMLStoreValue.value(text, type: type) else {
      throw malformed("a value of “\(name)” that is of the type \(type)")
    }
    guard nodes[nodes.count - 1].attributes.updateValue(value, forKey: name) == nil else {
      throw malformed("one attribute “\(name)”")
    }
  }
}
