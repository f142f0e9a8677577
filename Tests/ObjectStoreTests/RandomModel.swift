import Foundation
import ObjectStore

/// A generator that gives the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension ManagedObjectModel {
  /// A model with a few entities, some of which inherit, and relationships of all kinds between any of them.
  static func random(using random: inout SeededGenerator) throws -> ManagedObjectModel {
    let names = Array(["Alpha", "Beta", "Gamma", "Delta"].prefix(Int.random(in: 1...4, using: &random)))
    var entities: [EntityDeclaration] = []
    for (index, name) in names.enumerated() {
      var attributes: [AttributeDescription] = []
      for number in 0..<Int.random(in: 1...5, using: &random) {
        let type = storedTypes[Int.random(in: 0..<storedTypes.count, using: &random)]
        attributes.append(
          AttributeDescription(
            "a\(index)x\(number)", type, isIndexed: Bool.random(using: &random),
            defaultValue: Bool.random(using: &random) ? .null : value(of: type, using: &random)))
      }
      let parent = index > 0 && Int.random(in: 0..<3, using: &random) == 0 ? names[index - 1] : nil
      entities.append(EntityDeclaration(name, parent: parent, attributes: attributes))
    }
    for number in 0..<Int.random(in: 1...6, using: &random) {
      let source = Int.random(in: 0..<names.count, using: &random)
      let target = Int.random(in: 0..<names.count, using: &random)
      add(number, from: source, to: target, in: &entities, using: &random)
    }
    return try ManagedObjectModel(entities: entities)
  }

  private static func add(
    _ number: Int, from source: Int, to target: Int, in entities: inout [EntityDeclaration],
    using random: inout SeededGenerator
  ) {
    func relationship(
      _ name: String, to target: Int, inverse: String?, _ random: inout SeededGenerator
    ) -> RelationshipDescription {
      let isToMany = Bool.random(using: &random)
      return RelationshipDescription(
        name, to: entities[target].name, inverse: inverse, isToMany: isToMany,
        isOrdered: isToMany && Int.random(in: 0..<3, using: &random) == 0,
        deleteRule: Int.random(in: 0..<4, using: &random) == 0 ? .cascade : .nullify)
    }
    let name = "r\(number)"
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      // Without inverse.
      entities[source].properties.append(.relationship(relationship(name, to: target, inverse: nil, &random)))
    case 1 where source == target:
      // Its own inverse; such a relationship has no order of its own on either side.
      var own = relationship(name, to: target, inverse: name, &random)
      own.isOrdered = false
      entities[source].properties.append(.relationship(own))
    default:
      // The same name on both sides where that is possible.
      let isApart = entities[source].parent == nil && entities[target].parent == nil && source != target
      let isAlone = !entities.contains { $0.parent != nil }
      let inverse = isApart && isAlone && Bool.random(using: &random) ? name : name + "back"
      entities[source].properties.append(
        .relationship(relationship(name, to: target, inverse: inverse, &random)))
      entities[target].properties.append(
        .relationship(relationship(inverse, to: source, inverse: name, &random)))
    }
  }

  static let storedTypes: [AttributeType] = [
    .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid,
    .uri,
    .transformable,
  ]

  /// A value of a type, among them those at the edges.
  static func value(of type: AttributeType, using random: inout SeededGenerator) -> AttributeValue {
    if Int.random(in: 0..<8, using: &random) == 0 { return .null }
    let texts = ["", "a", "Ä", "a\0b", "12", "1e5", "🙂 and more than fifteen bytes of it", "' OR 1=1 --"]
    switch type {
    case .integer16: return .integer(Int64(Int16.random(in: .min ... .max, using: &random)))
    case .integer32: return .integer(Int64(Int32.random(in: .min ... .max, using: &random)))
    case .integer64: return .integer([.min, -1, 0, 1, .max].randomElement(using: &random) ?? 0)
    case .decimal: return .decimal(Decimal(Int.random(in: -9_999...9_999, using: &random)) / 100)
    case .double: return .double([-1.5, 0, .pi, 1e300, -0.1].randomElement(using: &random) ?? 0)
    case .float: return .float([-1.5, 0, .pi, 1e30, -0.1].randomElement(using: &random) ?? 0)
    case .string: return .string(texts.randomElement(using: &random) ?? "")
    case .uri: return .uri("https://example.org/\(Int.random(in: 0..<100, using: &random))")
    case .boolean: return .boolean(Bool.random(using: &random))
    case .date: return .date(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 4)
    case .binary, .transformable:
      return .data(
        (0..<Int.random(in: 0..<20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .uuid:
      var bytes = UUID().uuid
      withUnsafeMutableBytes(of: &bytes) {
        for index in $0.indices { $0[index] = .random(in: 0...255, using: &random) }
      }
      return .uuid(UUID(uuid: bytes))
    case .undefined, .objectID, .composite: return .null
    }
  }
}
