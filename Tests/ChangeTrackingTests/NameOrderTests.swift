import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// What others call something means the same in whatever order it is heard.
@Suite struct NameOrderTests {
  private static let model = [
    EntityDeclaration("Note", attributes: [RenamingTests.syncID, .init("title", .string)]),
    EntityDeclaration("Tag", attributes: [RenamingTests.syncID]),
  ]

  /// What somebody calls an entity, or a property, and what it was called before.
  struct Named: Sendable, CustomTestStringConvertible {
    var name: String
    var former: [String] = []

    var testDescription: String { ([name] + former).joined(separator: "<-") }
  }

  /// Sets of one author for each name, each of which inserts an object of its own.
  private static func insertions(_ names: [Named]) throws -> [ReceivedSet] {
    try names.enumerated().map { index, named in
      var author = ScriptedAuthor(
        UInt64(index + 1),
        entities: EntityNames(
          name: named.name, formerNames: named.former, root: named.name,
          properties: [.init(name: "title", kind: .attribute)]))
      let title = Register(property: 0, content: .value(.string("of \(index)")))
      return try author.set(Change(.text("o\(index)"), at: UInt64(index + 1), .insert([title])))
    }
  }

  /// Sets that write a property of one object by various names, the last one latest.
  private static func writes(_ names: [Named]) throws -> [ReceivedSet] {
    try names.enumerated().map { index, named in
      var author = ScriptedAuthor(
        UInt64(index + 1),
        entities: EntityNames(
          name: "Note", root: "Note",
          properties: [.init(name: named.name, formerNames: named.former, kind: .attribute)]))
      let title = Register(property: 0, content: .value(.string("of \(index)")))
      return try author.set(Change("o", at: UInt64(index + 1), .insert([title])))
    }
  }

  private static func shown(_ sets: [ReceivedSet]) throws -> [String] {
    let device = try VersionedDevice("here", model)
    for set in sets { _ = try device.replica.receive([set], policy: .always(.latest)) }
    return try ["Note", "Tag"].flatMap { entity in
      try device.context.fetch(FetchRequest<ManagedObject>(entity: entity)).map { object in
        let title: AttributeValue = entity == "Note" ? object["title"] : .null
        return "\(entity) \(object[SyncModelKey.syncID]) \(title)"
      }
    }.sorted()
  }

  @Test(arguments: [
    [Named(name: "Base"), Named(name: "Note", former: ["Base"])],
    [Named(name: "Other", former: ["Note"]), Named(name: "Other")],
    [Named(name: "Base", former: ["First"]), Named(name: "Note", former: ["Base"]), Named(name: "First")],
    [Named(name: "Slip", former: ["Other"]), Named(name: "Other"), Named(name: "Other", former: ["Note"])],
  ])
  func `all objects show, in whatever order the sets come that tell of a renaming`(names: [Named]) throws {
    let sets = try Self.insertions(names)
    for first in sets.indices {
      let rest = sets.indices.filter { $0 != first }
      for order in [[first] + rest, [first] + rest.reversed()] {
        let shown = try Self.shown(order.map { sets[$0] })
        #expect(shown.count == names.count && shown.allSatisfy { $0.hasPrefix("Note") })
      }
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a deletion under a name that turns out to be of the same is one on every device`(order: [Int]) throws
  {
    let device = try VersionedDevice("here", Self.model)
    try device.insert("Note", "precious", ["title": .string("mine")])
    var one = ScriptedAuthor(1, entities: EntityNames(name: "Base", root: "Base", properties: []))
    var two = ScriptedAuthor(
      2, entities: EntityNames(name: "Note", formerNames: ["Base"], root: "Note", properties: []))
    let time = UInt64(1) << 41
    let sets = [
      try one.set(Change("other", at: 1, .insert([]))),
      try two.set(Change("precious", at: time, .delete)),
    ]
    for index in order { _ = try device.replica.receive([sets[index]], policy: .always(.latest)) }
    #expect(try device.object("Note", "precious") == nil)
    #expect(try device.count("Note") == 1)
  }

  private static func names(_ random: inout SeededGenerator, own: String) -> [Named] {
    let all = [own, "a", "b", "c", ""]
    return (0..<Int.random(in: 2...5, using: &random)).map { _ in
      let name = all.dropLast().randomElement(using: &random) ?? own
      let former = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        all.randomElement(using: &random) ?? own
      }
      return Named(name: name, former: former)
    }
  }

  @Test(arguments: UInt64(0)..<60)
  func `whatever others call entities, the same shows in every order`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let names = Self.names(&random, own: "Note")
    let sets = try Self.insertions(names)
    let shown = try Self.shown(sets)
    for _ in 0..<3 {
      #expect(try Self.shown(sets.shuffled(using: &random)) == shown, "\(names.map(\.testDescription))")
    }
  }

  @Test(arguments: UInt64(0)..<60)
  func `whatever others call properties, the same shows in every order`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let names = Self.names(&random, own: "title")
    let sets = try Self.writes(names)
    let shown = try Self.shown(sets)
    for _ in 0..<3 {
      #expect(try Self.shown(sets.shuffled(using: &random)) == shown, "\(names.map(\.testDescription))")
    }
  }
}
