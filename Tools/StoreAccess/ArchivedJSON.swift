import CommandLineTool
import CoreDataFormats
import Foundation

/// A decoded archive as JSON. What JSON has no kind for is an object with one key that begins with `$`.
package enum ArchivedJSON {
  package static func json(_ value: ArchivedObject) -> JSONValue {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .unsigned(let value): tagged("$integer", .string(String(value)))
    case .real(let value): value.isFinite ? .number(value) : tagged("$real", ValueJSON.number(value))
    case .float(let value):
      value.isFinite ? .number(Double(value)) : tagged("$real", ValueJSON.number(Double(value)))
    case .decimal(let value): tagged("$decimal", .string(value.description))
    case .string(let value): .string(value)
    case .data(let value): tagged("$data", .string(Data(value).base64EncodedString()))
    case .date(let value):
      tagged("$date", DateText.text(value).map { .string($0) } ?? ValueJSON.number(value))
    case .uuid(let value): tagged("$uuid", .string(value.description))
    case .url(let relative, let base): tagged("$url", .string((base ?? "") + relative))
    case .array(let values): .array(values.map(json))
    case .orderedSet(let values): tagged("$orderedSet", .array(values.map(json)))
    // Sets have no order of their own; this one is at least always the same.
    case .set(let values): tagged("$set", .array(values.map(json).sorted(by: precedes)))
    case .dictionary(let pairs): dictionary(pairs)
    case .record(let record): self.record(record)
    }
  }

  private static func tagged(_ tag: String, _ value: JSONValue) -> JSONValue { .object([.init(tag, value)]) }

  private static func dictionary(_ pairs: [ArchivedObject: ArchivedObject]) -> JSONValue {
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    for (key, value) in pairs {
      // Of keys that differ in how their accents are written alone, readers of JSON may keep one.
      guard case .string(let name) = key, !name.hasPrefix("$"), names.insert(name).inserted else {
        let entries = pairs.map { JSONValue.array([json($0.key), json($0.value)]) }
        return tagged("$dictionary", .array(entries.sorted(by: precedes)))
      }
      members.append(.init(name, json(value)))
    }
    return .object(members.sorted { $0.key < $1.key })
  }

  /// By bytes: texts that differ in how their accents are written are equal to Swift, and would come in any order.
  private static func precedes(_ left: JSONValue, _ right: JSONValue) -> Bool {
    left.line.utf8.lexicographicallyPrecedes(right.line.utf8)
  }

  private static func record(_ record: ArchivedRecord) -> JSONValue {
    var members = [JSONValue.Member("$class", .string(record.className))]
    for (key, field) in record.fields.sorted(by: { $0.key < $1.key }) {
      switch field {
      case .inline(let list):
        members.append(.init(key, ArchivedObject(propertyList: list).map(json) ?? .null))
      case .object(let object): members.append(.init(key, json(object)))
      case .objects(let objects): members.append(.init(key, .array(objects.map(json))))
      }
    }
    return .object(members)
  }
}
