import XMLReading

/// What the elements of a 207 answer mean.
///
/// An element counts by where it stands and by its namespace, never by its prefix. What is not known is skipped with all that
/// is in it.
struct MultistatusContent {
  /// No folder of ours has as many entries.
  static let entryLimit = 200_000
  static let valueLimit = 8 << 10
  /// Bytes of addresses, dates and ETags of all entries together.
  static let keptLimit = 64 << 20
  /// Bytes of a name, encoded. Of a longer one the beginning is kept, which is as little one of ours.
  private static let nameLimit = 1 << 10
  /// What is longer is no date.
  private static let dateLimit = 64
  /// What is longer is taken for no version.
  private static let etagLimit = 1 << 10
  private static let dav = "DAV:"

  private enum Place {
    case multistatus, response, href, status, properties, propertiesStatus, property, kind, folder, length,
      modified, etag, other

    /// The element of that name within this one.
    func inner(_ name: String) -> Place {
      switch (self, name) {
      case (.multistatus, "response"): .response
      case (.response, "href"): .href
      case (.response, "status"): .status
      case (.response, "propstat"): .properties
      case (.properties, "status"): .propertiesStatus
      case (.properties, "prop"): .property
      case (.property, "resourcetype"): .kind
      case (.property, "getcontentlength"): .length
      case (.property, "getlastmodified"): .modified
      case (.property, "getetag"): .etag
      case (.kind, "collection"): .folder
      default: .other
      }
    }
  }

  private let limit: Int
  private(set) var responses: [MultistatusResponse] = []
  private var places: [Place] = []
  private var text: [UInt8] = []
  private var current = MultistatusResponse(href: "")
  private var hrefs: [String] = []
  private var kept = 0
  private var found = MultistatusResponse.Properties()
  private var foundStatus: Int?

  /// - Parameter limit: how many responses are read.
  init(limit: Int) { self.limit = limit }

  mutating func take(_ event: XMLEvent) throws(XMLError) {
    switch event {
    case .start(let element): try begin(element.name)
    case .text(let bytes):
      guard text.count + bytes.count <= Self.valueLimit else {
        throw XMLError(offset: 0, reason: "a value has more than \(Self.valueLimit) bytes")
      }
      text += bytes
    case .end:
      if let place = places.popLast() { try end(place) }
      text.removeAll(keepingCapacity: true)
    }
  }

  private mutating func begin(_ name: XMLName) throws(XMLError) {
    text.removeAll(keepingCapacity: true)
    guard let outer = places.last else {
      guard name == XMLName(namespace: Self.dav, local: "multistatus") else {
        throw XMLError(
          offset: 0, reason: "the root element is no DAV:multistatus but “\(name.local.prefix(40))”")
      }
      places.append(.multistatus)
      return
    }
    let place = name.namespace == Self.dav ? outer.inner(name.local) : .other
    places.append(place)
    switch place {
    case .response:
      current = MultistatusResponse(href: "")
      hrefs = []
    case .properties:
      found = .init()
      foundStatus = nil
    case .kind: found.isCollection = false
    case .folder: found.isCollection = true
    default: break
    }
  }

  private mutating func end(_ place: Place) throws(XMLError) {
    switch place {
    case .href:
      try checkCount(hrefs.count)
      hrefs.append(Self.shortened(value))
    case .status: current.status = Self.status(value)
    case .propertiesStatus: foundStatus = Self.status(value)
    case .length: found.length = Int64(value).flatMap { $0 < 0 ? nil : $0 }
    case .modified: found.modified = value(upTo: Self.dateLimit)
    case .etag: found.etag = value(upTo: Self.etagLimit)
    case .properties: endProperties()
    case .response: try endResponse()
    default: break
    }
  }

  private mutating func endProperties() {
    if let foundStatus, !(200...299).contains(foundStatus) {
      current.missingStatus = foundStatus
      return
    }
    current.hasProperties = true
    current.properties.isCollection = found.isCollection ?? current.properties.isCollection
    current.properties.length = found.length ?? current.properties.length
    current.properties.modified = found.modified ?? current.properties.modified
    current.properties.etag = found.etag ?? current.properties.etag
  }

  private mutating func endResponse() throws(XMLError) {
    // Several references may share one status.
    for href in hrefs {
      try checkCount(0)
      current.href = href
      kept += href.utf8.count + (current.properties.modified?.utf8.count ?? 0)
      kept += current.properties.etag?.utf8.count ?? 0
      guard kept <= Self.keptLimit else {
        throw XMLError(
          offset: 0, reason: "its entries have addresses of more than \(Self.keptLimit) bytes",
          isTooLarge: true)
      }
      responses.append(current)
    }
    hrefs = []
  }

  private func checkCount(_ more: Int) throws(XMLError) {
    guard responses.count + more < limit else {
      throw XMLError(offset: 0, reason: "it has more than \(limit) entries", isTooLarge: true)
    }
  }

  private func value(upTo limit: Int) -> String? {
    let value = value
    return value.utf8.count <= limit ? value : nil
  }

  /// A reference without the end of a name that is too long for one of ours.
  private static func shortened(_ href: String) -> String {
    let slash = UInt8(ascii: "/")
    let path = href.utf8.last == slash ? href.utf8.dropLast() : href.utf8[...]
    let folder = path.lastIndex(of: slash).map { path[...$0] } ?? path[..<path.startIndex]
    let name = path.dropFirst(folder.count)
    guard name.count > nameLimit else { return href }
    // A name of ours is ASCII, so it is no matter where others are cut.
    return String(decoding: Array(folder) + name.prefix(nameLimit), as: UTF8.self)
  }

  private var value: String {
    String(decoding: XMLSpace.trimmingEnd(text.drop(while: XMLSpace.contains)), as: UTF8.self)
  }

  /// The number in `HTTP/1.1 200 OK`.
  private static func status(_ line: String) -> Int? {
    let space = UInt8(ascii: " ")
    let number = line.utf8.drop { $0 != space }.drop { $0 == space }.prefix { $0 != space }
    return Int(Substring(number))
  }
}
