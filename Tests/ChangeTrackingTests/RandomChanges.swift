import ByteFixtures
import Foundation
import ObjectStore

@testable import ChangeTracking

extension AttributeValue {
  static func random(using random: inout SeededGenerator) -> AttributeValue {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: .null
    case 1: .boolean(.random(using: &random))
    case 2: .integer(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random))
    case 3:
      .double(Double(bitPattern: random.next()).isNaN ? 0.1 : Double.random(in: -1e9...1e9, using: &random))
    case 4: .double(Double(Int.random(in: -5...5, using: &random)))
    case 5: .double([-0.0, .infinity, -.infinity, .leastNonzeroMagnitude].randomElement(using: &random) ?? 0)
    case 6: .float(Float.random(in: -10...10, using: &random))
    case 7: .decimal(Decimal(Int.random(in: -99_999...99_999, using: &random)) / 100)
    case 8:
      .string(
        String(
          (0..<Int.random(in: 0..<30, using: &random)).map { _ in
            "aä🙂\0 z".randomElement(using: &random) ?? "x"
          }))
    case 9: .date(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1_000)
    case 10: .date(Double.random(in: -1e12...1e12, using: &random))
    case 11:
      .data(
        (0..<Int.random(in: 0..<20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    case 12: .uuid(.random(using: &random))
    default: .uri("https://example.org/\(Int.random(in: 0..<100, using: &random))")
    }
  }
}

extension UUID {
  fileprivate static func random(using random: inout SeededGenerator) -> UUID {
    withUnsafeBytes(of: (random.next(), random.next())) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

extension SyncID {
  static func random(using random: inout SeededGenerator) -> SyncID {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .text(["", "tag:swift", "Ä", "0"].randomElement(using: &random) ?? "")
    case 1: .uuid(UInt64.random(in: 0..<3, using: &random), UInt64.random(in: 0..<3, using: &random))
    case 2: SyncID(milliseconds: UInt64.random(in: 0..<1_000, using: &random), using: &random)
    default: .uuid(random.next(), random.next())
    }
  }
}

extension LongValue {
  static func random(using random: inout SeededGenerator) -> LongValue {
    LongValue(
      kind: Bool.random(using: &random) ? .text : .data, length: Int.random(in: lengths, using: &random),
      hash: ContentHash(of: [UInt8.random(in: 0...255, using: &random)]))
  }
}

extension ChangeSet {
  static func random(using random: inout SeededGenerator) -> ChangeSet {
    let kinds: [EntityNames.Property.Kind] = [
      .attribute, .toOne(destination: "B"), .toMany(destination: "A"),
    ]
    let entities = (0..<Int.random(in: 1...3, using: &random)).map { entity in
      EntityNames(
        name: "E\(entity)", root: "R",
        properties: (0..<Int.random(in: 1...6, using: &random)).map {
          EntityNames.Property(
            name: "p\($0)",
            formerNames: (0..<Int.random(in: 0...2, using: &random)).map { "q\($0)" },
            kind: kinds.randomElement(using: &random) ?? .attribute)
        })
    }
    let changes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
      Change.random(in: entities, using: &random)
    }
    return ChangeSet(
      author: AuthorID(bits: random.next()), client: "client", sequence: random.next() >> 40,
      previous: Bool.random(using: &random) ? ContentHash(of: [1]) : nil, model: "m", entities: entities,
      changes: changes)
  }
}

extension Change {
  static func random(in entities: [EntityNames], using random: inout SeededGenerator) -> Change {
    let entity = ChangeSet.EntityIndex(rawValue: Int.random(in: entities.indices, using: &random))
    let properties = entities[entity.rawValue].properties.indices
    var registers: [Register] = []
    for property in properties where Bool.random(using: &random) {
      let content: Register.Content =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .longValue(.random(using: &random))
        case 1...4: .value(.random(using: &random))
        default: .target(Bool.random(using: &random) ? .random(using: &random) : nil)
        }
      registers.append(Register(property: ChangeSet.PropertyIndex(rawValue: property), content: content))
    }
    let property = ChangeSet.PropertyIndex(rawValue: Int.random(in: properties, using: &random))
    let actions: [Change.Action] = [
      .insert(registers), .update(registers), .clear(registers), .delete,
      .link(property: property, target: .random(using: &random)),
      .unlink(property: property, target: .random(using: &random)),
      .place(
        property: property, target: .random(using: &random), isInverse: Bool.random(using: &random),
        bytes: (0..<Int.random(in: 0..<20, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }),
      .contribute(
        property: property, value: .random(using: &random),
        origin: Bool.random(using: &random) ? AuthorID(bits: random.next()) : nil),
    ]
    return Change(
      entity: entity, object: .random(using: &random),
      time: LogicalTime(bits: random.next() >> UInt64.random(in: 0..<30, using: &random)),
      action: actions.randomElement(using: &random) ?? .delete)
  }
}
