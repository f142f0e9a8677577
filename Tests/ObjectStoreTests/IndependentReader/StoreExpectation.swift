import Foundation
import ObjectStore

/// A model and what every object holds, as JSON for a reader that knows nothing else. Says nothing of tables and columns.
struct StoreExpectation: Encodable {
  struct Entity: Encodable {
    let name: String
    let parent: String?
    let isAbstract: Bool
    let attributes: [Attribute]
    let relationships: [Relationship]
  }

  struct Attribute: Encodable {
    let name: String
    let type: Int32
    let isOptional, isTransient, allowsExternalStorage: Bool
    let derivation, modifier: String?
  }

  struct Relationship: Encodable {
    let name, destination: String
    let inverse, modifier: String?
    let isToMany, isOrdered, isOptional: Bool
    let maximumCount, minimumCount: Int
  }

  struct Object: Encodable {
    let entity: String
    let key: Int64
    let values: [String: Value]
    /// The keys of related objects.
    let related: [String: [Int64]]
  }

  /// Real numbers are given by their bits, decimals by their digits and data in base64, so that nothing is lost on the way.
  enum Value: Encodable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case text(String)
    case tagged(String, String)

    init(_ value: AttributeValue) {
      switch value {
      case .null, .reference: self = .null
      case .boolean(let value): self = .boolean(value)
      case .integer(let value): self = .integer(value)
      case .string(let value), .uri(let value): self = .text(value)
      case .double(let value), .date(let value): self = .tagged("bits", String(value.bitPattern, radix: 16))
      case .float(let value): self = .tagged("bits", String(Double(value).bitPattern, radix: 16))
      case .decimal(let value): self = .tagged("decimal", value.description)
      case .data(let bytes): self = .tagged("data", Data(bytes).base64EncodedString())
      case .uuid(let uuid): self = .tagged("uuid", uuid.uuidString)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .boolean(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .text(let value): try container.encode(value)
      case .tagged(let tag, let text): try container.encode([tag: text])
      }
    }
  }

  let entities: [Entity]
  let objects: [Object]
  /// What attributes derived from the time of the save have.
  let now: Value

  init(declarations: [EntityDeclaration], graph: ReferenceGraph, keys: [Int: Int64], time: Double) {
    entities = declarations.map(Entity.init)
    now = Value(.date(time))
    objects = graph.nodes.compactMap { number, node in
      keys[number].map { key in
        Object(
          entity: node.entity.name, key: key, values: node.values.mapValues(Value.init),
          related: node.related.mapValues { $0.compactMap { keys[$0] } })
      }
    }
  }
}

extension StoreExpectation.Entity {
  init(_ entity: EntityDeclaration) {
    name = entity.name
    parent = entity.parent
    isAbstract = entity.isAbstract
    attributes = entity.properties.compactMap(\.asAttribute).map {
      StoreExpectation.Attribute(
        name: $0.name, type: $0.type.rawValue, isOptional: $0.isOptional, isTransient: $0.isTransient,
        allowsExternalStorage: $0.allowsExternalStorage, derivation: $0.derivation,
        modifier: $0.versionHashModifier)
    }
    relationships = entity.properties.compactMap(\.asRelationship).map {
      StoreExpectation.Relationship(
        name: $0.name, destination: $0.destination, inverse: $0.inverse, modifier: $0.versionHashModifier,
        isToMany: $0.isToMany, isOrdered: $0.isOrdered, isOptional: $0.isOptional,
        maximumCount: $0.maximumCount,
        minimumCount: $0.minimumCount)
    }
  }
}
