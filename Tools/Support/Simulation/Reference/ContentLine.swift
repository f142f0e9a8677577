import ObjectStore

/// What one object shows, as a line to compare and to read: entity, sync ID, and every property that has something to show.
public struct ContentLine {
  private var parts: [String]

  /// An object that shows nothing.
  public init(entity: String, id: PlainID) { parts = ["\(entity) \(id.text)"] }

  /// Adds what an attribute shows.
  public mutating func add(_ key: String, _ value: AttributeValue) {
    if !value.isNull { parts.append("\(key)=\(PlainText.value(value))") }
  }

  /// Adds what a to-one relationship shows.
  public mutating func add(_ key: String, target: PlainID?) {
    if let target { parts.append("\(key)→\(target.text)") }
  }

  /// Adds members without order.
  public mutating func add(_ key: String, set members: [PlainID]) {
    add(key, list: members.sorted { $0.precedes($1) })
  }

  /// Adds members in their order.
  public mutating func add(_ key: String, list members: [PlainID]) {
    if !members.isEmpty { parts.append("\(key)→\(members.map(\.text))") }
  }

  /// The line.
  public var text: String { parts.joined(separator: " ") }
}
