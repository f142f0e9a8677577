/// Status line and header fields of an answer.
public struct HTTPHead: Hashable, Sendable {
  /// 100 to 599.
  public let status: Int
  private var fields: [(name: String, value: String)] = []

  /// An answer with header fields; the case of their names has no meaning.
  public init(status: Int, fields: [(String, String)] = []) {
    self.status = status
    for (name, value) in fields { add(name, value) }
  }

  /// Whether the request was carried out: 200 to 299.
  public var isSuccess: Bool { (200...299).contains(status) }

  /// The value of a field; the first if there are several.
  public subscript(name: String) -> String? { all(name).first }

  /// The values of all fields of one name, in their order.
  public func all(_ name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name == name }.map(\.value)
  }

  /// How long the body is, where the server says so.
  public var contentLength: Int64? {
    self["content-length"].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
  }

  /// The media type without parameters, in lower case.
  public var mediaType: String? {
    self["content-type"].map {
      String($0.prefix { $0 != ";" }.filter { !$0.isWhitespace }).lowercased()
    }
  }

  mutating func add(_ name: String, _ value: String) { fields.append((name.lowercased(), value)) }

  /// Compares all that a head says.
  public static func == (left: HTTPHead, right: HTTPHead) -> Bool {
    left.status == right.status && left.fields.elementsEqual(right.fields, by: ==)
  }

  /// Hashes the status.
  public func hash(into hasher: inout Hasher) { hasher.combine(status) }
}
