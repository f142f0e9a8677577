import ObjectStore

/// What one object shows, as a line to compare and to read: entity, sync ID, and every property that has something to show.
struct ContentLine {
  private var parts: [String]

  init(entity: String, id: PlainID) { parts = ["\(entity) \(id.text)"] }

  mutating func add(_ key: String, _ value: AttributeValue) {
    if !value.isNull { parts.append("\(key)=\(PlainText.value(value))") }
  }

  mutating func add(_ key: String, target: PlainID?) {
    if let target { parts.append("\(key)→\(target.text)") }
  }

  /// Members without order.
  mutating func add(_ key: String, set members: [PlainID]) {
    add(key, list: members.sorted { $0.precedes($1) })
  }

  mutating func add(_ key: String, list members: [PlainID]) {
    if !members.isEmpty { parts.append("\(key)→\(members.map(\.text))") }
  }

  var text: String { parts.joined(separator: " ") }
}
