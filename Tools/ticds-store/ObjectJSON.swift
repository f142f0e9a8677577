import CommandLineTool
import CoreDataFormats
import Foundation
import ObjectStore

/// An object of a store as one JSON value: `entity`, `id`, `attributes`, `relationships`.
struct ObjectJSON {
  let store: StoreFile

  func json(_ object: StoredObject) -> JSONValue {
    let entity = store.model.entities[object.reference.entity]
    var attributes: [JSONValue.Member] = []
    var relationships: [JSONValue.Member] = []
    for (index, property) in entity.properties.enumerated() where !property.isTransient {
      if case .attribute(let attribute) = property {
        let isMissing = object.missingFiles.contains(index)
        let value =
          isMissing
          ? .object([.init("$missingFile", true)]) : Self.json(object.attributes[index], attribute.type)
        attributes.append(.init(attribute.name, value))
      } else if case .relationship(let relationship) = property {
        let targets = object.relationships[index - entity.attributeCount].map {
          JSONValue.string(store.uri(of: $0))
        }
        relationships.append(
          .init(relationship.name, relationship.isToMany ? .array(targets) : targets.first ?? .null))
      }
    }
    return .object([
      .init("entity", .string(entity.name)), .init("id", .string(store.uri(of: object.reference))),
      .init("attributes", .object(attributes.sorted { $0.key < $1.key })),
      .init("relationships", .object(relationships.sorted { $0.key < $1.key })),
    ])
  }

  /// Dates as ISO 8601, data in base64, decimals as text, transformable values as the decoded tree.
  static func json(_ value: AttributeValue, _ type: AttributeType) -> JSONValue {
    switch value {
    case .null, .reference: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .double(let value): number(value)
    case .float(let value): number(Double(value))
    case .decimal(let value): .string("\(value)")
    case .string(let value), .uri(let value): .string(value)
    case .date(let seconds): DateText.text(seconds).map { .string($0) } ?? number(seconds)
    case .uuid(let value): .string(value.uuidString)
    case .data(let bytes):
      (type == .transformable ? tree(bytes) : nil) ?? .string(Data(bytes).base64EncodedString())
    }
  }

  /// JSON has no words for numbers that are not finite.
  static func number(_ value: Double) -> JSONValue {
    value.isFinite ? .number(value) : .string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
  }

  /// The value in an archive; `nil` if the bytes are none, as those of an application's own transformer.
  private static func tree(_ bytes: [UInt8]) -> JSONValue? {
    guard let archive = try? KeyedArchive(bytes), let value = try? archive.decode(allowing: .any) else {
      return nil
    }
    return ArchivedJSON.json(value)
  }
}
