import ByteFixtures
import Foundation
import ObjectStore
import ProcessTesting
import TemporaryFolders
import Testing

@testable import ChangeTracking

@Suite struct GoldenSetTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
  static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(arguments: GoldenSets.all.map(\.name))
  func `sets written by every version decode for ever`(name: String) throws {
    let expected = try #require(GoldenSets.all.first { $0.name == name }).set
    let file = Self.folder.appending(path: "\(name).set")

    var decoded = try CompactCodec.decode([UInt8](try Data(contentsOf: file)))

    #expect(Set(decoded.changes) == Set(expected.changes))
    #expect(decoded.changes.count == expected.changes.count)
    decoded.changes = expected.changes
    #expect(decoded == expected)
  }

  @Test(.enabled(if: python != nil, "needs Python 3"), arguments: 0..<5)
  func `a reader written from the format's page alone reads the same`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let sets = GoldenSets.all.map(\.set) + (0..<4).map { _ in ChangeSet.random(using: &random) }
    let folder = try TemporaryFolder()
    for set in sets {
      let file = folder.url.appending(path: "a.set")
      try Data(try CompactCodec.encode(set)).write(to: file)

      let read = try await Self.run(Self.folder.appending(path: "read.py"), file)

      // Both read the same bytes, so the order of the changes is the same too.
      let decoded = try CompactCodec.decode(try CompactCodec.encode(set))
      #expect(read == PlainJSON.set(decoded))
    }
  }

  private static func run(_ script: URL, _ file: URL) async throws -> PlainJSON {
    let result = try await Subprocess.run(
      [try #require(python), script.path(percentEncoded: false), file.path(percentEncoded: false)])
    #expect(result.ending == .exited(0), "\(result.errors)")
    return try JSONDecoder().decode(PlainJSON.self, from: Data(result.output.utf8))
  }
}

/// JSON as `read.py` prints it.
enum PlainJSON: Equatable, Decodable {
  case null
  case flag(Bool)
  case integer(Int64)
  case large(UInt64)
  case text(String)
  case list([PlainJSON])
  case object([String: PlainJSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .flag(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .large(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([PlainJSON].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: PlainJSON].self))
    }
  }

  static func set(_ set: ChangeSet) -> PlainJSON {
    .object([
      "author": .text(set.author.description), "client": .text(set.client), "sequence": number(set.sequence),
      "previous": set.previous.map { .text($0.description) } ?? .null, "model": .text(set.model),
      "entities": .list(set.entities.map(entity)), "changes": .list(set.changes.map { change($0, of: set) }),
    ])
  }

  private static func number(_ value: UInt64) -> PlainJSON {
    Int64(exactly: value).map { .integer($0) } ?? .large(value)
  }

  private static func entity(_ entity: EntityNames) -> PlainJSON {
    .object([
      "name": .text(entity.name), "former": .list(entity.formerNames.map { .text($0) }),
      "root": .text(entity.root),
      "properties": .list(
        entity.properties.map { property in
          let (code, destination) = property.kind.stored
          return .object([
            "name": .text(property.name), "former": .list(property.formerNames.map { .text($0) }),
            "kind": .integer(code),
            "destination": destination.map { .text($0) } ?? .null,
          ])
        }),
    ])
  }

  private static func change(_ change: Change, of set: ChangeSet) -> PlainJSON {
    let entity = set.entities[change.entity.rawValue]
    func pair(_ property: ChangeSet.PropertyIndex, _ content: PlainJSON) -> PlainJSON {
      .list([.text(entity.properties[property.rawValue].name), content])
    }
    func target(_ target: SyncID?) -> PlainJSON {
      .object(["target": target.map { .text($0.string) } ?? .null])
    }
    func contribution(_ value: AttributeValue, _ origin: AuthorID?) -> PlainJSON {
      .object(["value": PlainJSON.value(value), "origin": origin.map { .text($0.description) } ?? .null])
    }
    func written(_ registers: [Register]) -> [PlainJSON] {
      registers.map { register in
        switch register.content {
        case .value(let value): pair(register.property, PlainJSON.value(value))
        case .longValue(let value): pair(register.property, longValue(value))
        case .target(let object): pair(register.property, target(object))
        }
      }
    }
    let (action, properties): (String, [PlainJSON]) =
      switch change.action {
      case .insert(let registers): ("insert", written(registers))
      case .update(let registers): ("update", written(registers))
      case .clear(let registers): ("clear", written(registers))
      case .delete: ("delete", [])
      case .link(let property, let object): ("link", [pair(property, target(object))])
      case .unlink(let property, let object): ("unlink", [pair(property, target(object))])
      case .place(let property, let object, let isInverse, let bytes):
        (
          isInverse ? "place source" : "place target",
          [pair(property, .object(["target": .text(object.string), "place": hexadecimal(bytes)]))]
        )
      case .contribute(let property, let value, let origin):
        ("contribute", [pair(property, contribution(value, origin))])
      }
    var object: [String: PlainJSON] = [
      "entity": .text(entity.name), "action": .text(action), "object": .text(change.object.string),
      "time": .list([number(change.time.milliseconds), number(change.time.bits & 0xffff)]),
    ]
    if !properties.isEmpty { object["properties"] = .list(properties) }
    return .object(object)
  }

  private static func longValue(_ value: LongValue) -> PlainJSON {
    .object([
      value.kind == .text ? "long string" : "long data": .text(value.hash.description),
      "length": .integer(Int64(value.length)),
    ])
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> PlainJSON {
    .text(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
  }

  private static func value(_ value: AttributeValue) -> PlainJSON {
    func bits(_ number: some FixedWidthInteger) -> PlainJSON {
      hexadecimal(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }
    return switch value {
    case .null, .reference: .null
    case .boolean(let value): .object(["boolean": .flag(value)])
    case .integer(let value): .object(["integer": .integer(value)])
    case .double(let value): .object(["double": bits(value.bitPattern)])
    case .float(let value): .object(["float": bits(value.bitPattern)])
    case .decimal(let value): .object(["decimal": .text(value.description)])
    case .string(let value): .object(["string": .text(value)])
    case .date(let value): .object(["date": bits(value.bitPattern)])
    case .data(let value): .object(["data": hexadecimal(value)])
    case .uuid(let value): .object(["uuid": hexadecimal(withUnsafeBytes(of: value.uuid) { Array($0) })])
    case .uri(let value): .object(["uri": .text(value)])
    }
  }
}
