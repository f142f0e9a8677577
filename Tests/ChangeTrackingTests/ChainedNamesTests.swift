import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// Names that turn out to be one in chains: the same is shown, whoever tells what first.
@Suite struct ChainedNamesTests {
  private typealias Property = EntityNames.Property

  private static let boss = Property(name: "boss", kind: .toOne(destination: "Person"))

  /// A set that writes objects of an entity, below a root of its own.
  private func written(_ author: UInt64, _ entity: String, _ changes: [Change]) throws -> ReceivedSet {
    var author = ScriptedAuthor(author, [EntityNames(name: entity, root: entity, properties: [Self.boss])])
    return try author.set(changes)
  }

  /// A set that tells what an entity was called before.
  private func told(_ author: UInt64, _ name: String, _ former: String, root: String? = nil) throws
    -> ReceivedSet
  {
    var author = ScriptedAuthor(
      author, [EntityNames(name: name, formerNames: [former], root: root ?? name, properties: [])])
    return try author.set()
  }

  private func insertion(_ object: String, at time: UInt64) -> Change {
    Change(.text(object), at: time, .insert([]))
  }

  private func target(_ target: String, of object: String, at time: UInt64) -> Change {
    let register = Register(
      property: ChangeSet.PropertyIndex(rawValue: 0), content: .target(.text(target)))
    return Change(.text(object), at: time, .update([register]))
  }

  private func shown(_ sets: [ReceivedSet]) throws -> [String] {
    let device = try PlainDevice("device")
    for set in sets { try device.receive([set]) }
    return try device.store.contents()
  }

  @Test func `a later target that does not live hides the former one, whose row is made again`() throws {
    let sets = [
      try written(1, "Person", [insertion("a", at: 3), insertion("b", at: 3), target("a", of: "b", at: 4)]),
      try written(2, "Memo", [insertion("a", at: 3), target("missing", of: "b", at: 17)]),
      try told(3, "Person", "Memo"),
    ]

    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
      #expect(try shown(order.map { sets[$0] }) == ["Person a", "Person b"])
    }
  }

  @Test func `what leads nowhere by now does so when the rows of both ends are made again`() throws {
    let nothing = Register(property: ChangeSet.PropertyIndex(rawValue: 0), content: .target(nil))
    let sets = [
      try written(1, "Person", [insertion("a", at: 3), insertion("b", at: 3), target("a", of: "b", at: 4)]),
      try written(
        2, "Memo",
        [
          insertion("a", at: 5), insertion("b", at: 5), Change(.text("b"), at: 17, .update([nothing])),
        ]),
      try told(3, "Person", "Memo"),
    ]

    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
      #expect(try shown(order.map { sets[$0] }) == ["Person a", "Person b"])
    }
  }

  @Test func `an object that becomes one with several others keeps what its row tells`() throws {
    let sets = [
      try written(1, "Person", [insertion("a", at: 3)]),
      try written(2, "First", [target("a", of: "a", at: 10)]),
      try written(3, "Second", [insertion("a", at: 3)]),
      try written(4, "Third", [insertion("a", at: 3)]),
      try told(5, "Person", "First"), try told(6, "First", "Second"), try told(7, "Second", "Third"),
    ]

    for order in [[0, 1, 2, 3, 4, 5, 6], [1, 6, 3, 0, 2, 4, 5], [6, 5, 4, 3, 2, 1, 0]] {
      #expect(try shown(order.map { sets[$0] }) == ["Person a boss→a ←boss→[\"a\"]"])
    }
  }

  @Test func `a relationship that leads nowhere under a later name hides what a row that is to go shows`()
    throws
  {
    func names(
      _ name: String, _ former: [String] = [], root: String? = nil, _ properties: [(String, [String])] = []
    )
      -> EntityNames
    {
      EntityNames(
        name: name, formerNames: former, root: root ?? name,
        properties: properties.map {
          Property(name: $0.0, formerNames: $0.1, kind: .toOne(destination: "Person"))
        })
    }
    func set(_ number: UInt64, _ entities: [EntityNames], _ changes: [Change]) throws -> ReceivedSet {
      var author = ScriptedAuthor(number, entities)
      return try author.set(changes)
    }
    let nothing = Register(property: ChangeSet.PropertyIndex(rawValue: 0), content: .target(nil))
    let sets = [
      try set(
        1, [names("Person", [], [("spouse", [])])],
        [insertion("a", at: 1), Change(.text("a"), at: 16, .update([nothing]))]),
      try set(
        2,
        [
          names("First", ["Person"], [("mate", ["partner"])]),
          names("Second", ["First"], [("spouse", ["mate"])]),
        ], []),
      try set(3, [names("Person", [], [("partner", [])])], [target("a", of: "a", at: 8)]),
      try set(4, [names("Second")], [insertion("a", at: 3)]),
    ]

    for order in [[0, 1, 2, 3], [3, 2, 0, 1], [3, 0, 2, 1], [1, 3, 2, 0]] {
      #expect(try shown(order.map { sets[$0] }) == ["Person a"], "\(order)")
    }
  }

  @Test(arguments: [("Second", "First"), ("First", "Second")])
  func `an entity that is told below two roots is one`(name: String, former: String) throws {
    let sets = [
      try written(1, "Second", [insertion("a", at: 3)]), try told(2, "Person", "First"),
      try told(3, name, former, root: "Person"),
    ]

    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      #expect(try shown(order.map { sets[$0] }) == ["Person a"])
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `chains of names show the same in every order`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var chains = NameChains(random: random)
    let sets = try chains.sets()

    let first = try shown(sets)
    for _ in 0..<4 {
      let order = sets.shuffled(using: &random)
      #expect(try shown(order) == first, "\(order.map(\.set.author.bits))")
    }
    let device = try PlainDevice("device")
    try device.receive(sets.shuffled(using: &random))
    #expect(try device.store.contents() == first)
  }
}

/// Objects of one identifier that several authors write under names of which others tell, a link of a chain each, that they are one.
private struct NameChains {
  private typealias Property = EntityNames.Property

  var random: SeededGenerator
  private static let entities = ["Person", "First", "Second", "Third"]
  private static let properties: [(names: [String], kind: Property.Kind)] = [
    (["name", "title", "label", "caption"], .attribute), (["age", "years"], .attribute),
    (["boss", "chief", "lead"], .toOne(destination: "Person")),
  ]
  private static let all = properties.flatMap { chain in
    chain.names.map { Property(name: $0, kind: chain.kind) }
  }

  mutating func sets() throws -> [ReceivedSet] {
    var sets: [ReceivedSet] = []
    for (number, name) in Self.entities.enumerated() {
      // What somebody calls it, it is below the local root or below its own.
      let root = Int.random(in: 0..<3, using: &random) == 0 ? "Person" : name
      var author = ScriptedAuthor(
        UInt64(1 + number), [EntityNames(name: name, root: root, properties: Self.all)])
      sets.append(try author.set(changes()))
    }
    for (newer, older) in zip(Self.entities, Self.entities.dropFirst()) {
      sets.append(try told(newer, older, sets.count))
    }
    for chain in Self.properties {
      for (newer, older) in zip(chain.names, chain.names.dropFirst()) {
        let (name, former) = Bool.random(using: &random) ? (newer, older) : (older, newer)
        let entity = Self.entities.randomElement(using: &random) ?? ""
        var author = ScriptedAuthor(
          UInt64(sets.count + 1),
          [
            EntityNames(
              name: entity, root: entity,
              properties: [Property(name: name, formerNames: [former], kind: chain.kind)])
          ])
        sets.append(try author.set())
      }
    }
    return sets
  }

  private mutating func told(_ newer: String, _ older: String, _ count: Int) throws -> ReceivedSet {
    let (name, former) = Bool.random(using: &random) ? (newer, older) : (older, newer)
    let root = Int.random(in: 0..<3, using: &random) == 0 ? "Person" : name
    var author = ScriptedAuthor(
      UInt64(count + 1), [EntityNames(name: name, formerNames: [former], root: root, properties: [])])
    return try author.set()
  }

  private mutating func changes() -> [Change] {
    var time = UInt64.random(in: 1..<4, using: &random)
    var changes = (0..<3).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }.map {
      Change(.text("p\($0)"), at: time, .insert([]))
    }
    for _ in 0..<5 {
      time += UInt64.random(in: 1..<6, using: &random)
      let object = SyncID.text("p\(Int.random(in: 0..<3, using: &random))")
      if Int.random(in: 0..<8, using: &random) == 0 {
        changes.append(Change(object, at: time, .delete))
        continue
      }
      let index = Int.random(in: Self.all.indices, using: &random)
      let content: Register.Content =
        switch Self.all[index].kind {
        case .attribute where index < 4: .value(.string("v\(Int.random(in: 0..<9, using: &random))"))
        case .attribute: .value(.integer(Int64(time)))
        default:
          Int.random(in: 0..<4, using: &random) == 0
            ? .target(nil) : .target(.text("p\(Int.random(in: 0..<3, using: &random))"))
        }
      let register = Register(property: ChangeSet.PropertyIndex(rawValue: index), content: content)
      changes.append(Change(object, at: time, .update([register])))
    }
    return changes
  }
}
