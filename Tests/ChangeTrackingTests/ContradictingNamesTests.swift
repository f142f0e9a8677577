import ByteFixtures
import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Somebody claims of two things that each had the name of one: honest devices must agree all the same.
@Suite struct ContradictingNamesTests {
  private static let model = [
    EntityDeclaration(
      "Note", attributes: [RenamingTests.syncID, .init("title", .string), .init("content", .string)]),
    EntityDeclaration("Tag", attributes: [RenamingTests.syncID, .init("name", .string)]),
  ]

  /// What somebody says in one set.
  struct Said: Sendable, CustomTestStringConvertible {
    var entity: String
    var former: [String] = []
    var root: String?
    var properties: [(name: String, former: [String])] = []
    /// An object that is inserted, with a text for each property.
    var inserted: String?
    var deleted: String?

    var testDescription: String {
      let root = root.map { " of \($0)" } ?? ""
      let changes = [inserted, deleted.map { "-" + $0 }].compactMap(\.self).joined(separator: ",")
      return ([entity] + former).joined(separator: "<-") + root
        + properties.map { " " + ([$0.name] + $0.former).joined(separator: "<-") }.joined() + " " + changes
    }

    fileprivate func set(by number: Int) throws -> ReceivedSet {
      var author = ScriptedAuthor(
        UInt64(number + 1),
        entities: EntityNames(
          name: entity, formerNames: former, root: root ?? entity,
          properties: properties.map { .init(name: $0.name, formerNames: $0.former, kind: .attribute) }))
      let registers = properties.indices.map {
        Register(
          property: ChangeSet.PropertyIndex(rawValue: $0),
          content: .value(.string("\(properties[$0].name) of \(number)")))
      }
      var changes: [Change] = []
      if let inserted {
        changes.append(Change(.text(inserted), at: UInt64(1) << 41 + UInt64(number), .insert(registers)))
      }
      if let deleted { changes.append(Change(.text(deleted), at: UInt64(1) << 41 + UInt64(number), .delete)) }
      return try author.set(changes)
    }
  }

  private static func device(_ client: String) throws -> VersionedDevice {
    let device = try VersionedDevice(client, model)
    try device.insert("Note", "own note", ["title": .string("one"), "content": .string("text")])
    try device.insert("Tag", "own tag", ["name": .string("red")])
    return device
  }

  private static func shown(_ device: VersionedDevice) throws -> [String] {
    try [("Note", ["title", "content"]), ("Tag", ["name"])].flatMap { entity, keys in
      try device.context.fetch(FetchRequest<ManagedObject>(entity: entity)).map { object in
        "\(entity) \(object[SyncModelKey.syncID]) \(keys.map { "\(object[$0])" })"
      }
    }.sorted()
  }

  /// Two devices that hear the same in different orders and then go on writing.
  private static func compare(_ said: [Said], _ one: [Int], _ other: [Int]) throws -> ([String], [String]) {
    let sets = try said.enumerated().map { try $1.set(by: $0) }
    let devices = [try device("a"), try device("b")]
    for (device, order) in zip(devices, [one, other]) {
      for index in order { _ = try device.replica.receive([sets[index]], policy: .always(.latest)) }
    }
    for device in devices {
      try device.insert("Note", "note of \(device.client)", ["title": .string("t"), "content": .string("c")])
      try device.insert("Tag", "tag of \(device.client)", ["name": .string("n")])
    }
    for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1]) }
    // Somebody may have said that the own note is something else.
    let note = try devices[0].object("Note", "own note") == nil ? "note of b" : "own note"
    try devices[0].set("Note", note, "title", .string("later"))
    try devices[1].set("Note", "note of a", "content", .string("later"))
    for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1]) }
    #expect(try devices[0].text("Note", note, "title") == "later")
    return (try shown(devices[0]), try shown(devices[1]))
  }

  static let attacks: [[Said]] = [
    [Said(entity: "Tag", former: ["Memo"]), Said(entity: "Note", former: ["Memo"])],
    [
      Said(entity: "Tag", former: ["Evil", "Memo"]), Said(entity: "Evil", former: ["Memo", ""]),
      Said(entity: "Note", former: ["Memo"]),
    ],
    [
      Said(entity: "Tag", former: ["Memo"]), Said(entity: "Memo", former: ["Evil", ""]),
      Said(entity: "Note", former: ["Evil"]),
    ],
    [Said(entity: "Tag", former: ["Note"]), Said(entity: "Note", former: ["Tag"])],
    [
      Said(entity: "Note", properties: [("title", ["x"])]),
      Said(entity: "Note", properties: [("content", ["x"])]),
    ],
    [
      Said(entity: "Note", properties: [("title", ["content"])]),
      Said(entity: "Note", properties: [("content", ["title"])]),
    ],
    [
      Said(entity: "Evil"),
      Said(entity: "Evil", root: "Note", properties: [("title", [])], inserted: "own note"),
    ],
    [
      Said(entity: "Evil", root: "Tag"),
      Said(entity: "Evil", root: "Note", properties: [("title", [])], inserted: "own note"),
      Said(entity: "Evil", root: "Evil", properties: [("title", [])], inserted: "own note"),
    ],
  ]

  @Test(arguments: attacks)
  func `what a path stands for does not depend on who was heard first`(said: [Said]) throws {
    let order = Array(said.indices)
    let (one, other) = try Self.compare(said, order, order.reversed())
    #expect(one == other, "\(said.map(\.testDescription))")
  }

  @Test func `what comes under a contested name is kept aside, whichever claim was heard first`() throws {
    let said = [
      Said(entity: "Tag", former: ["Memo"]), Said(entity: "Note", former: ["Memo"]),
      Said(entity: "Memo", properties: [("title", [])], inserted: "memo", deleted: "own tag"),
    ]
    let (one, other) = try Self.compare(said, [0, 1, 2], [1, 0, 2])
    #expect(one == other)
    #expect(!one.contains { $0.contains("memo") } && one.contains { $0.contains("own tag") })
  }

  @Test func `a person is told once which names contradict each other`() throws {
    let device = try Self.device("a")
    let said = [
      Said(entity: "Tag", former: ["Memo"]), Said(entity: "Note", former: ["Memo"]),
      Said(entity: "Note", former: ["Memo"], properties: [("title", ["x"])]),
      Said(entity: "Note", former: ["Memo"], properties: [("content", ["x"])]),
      Said(entity: "Note", former: ["Memo"]),
    ]
    var told: [[String]] = []
    for (index, said) in said.enumerated() {
      let report = try device.replica.receive([try said.set(by: index)], policy: .always(.latest))
      told.append(Self.contradictions(report))
    }
    #expect(told == [[], ["Note, Tag: Memo"], [], ["Note: content, title, x"], []])
  }

  @Test func `a contested name is not told on, and one that nobody contests is`() throws {
    let device = try Self.device("a")
    _ = try device.replica.receive(
      [try Said(entity: "Tag", former: ["Memo"]).set(by: 0)], policy: .always(.latest))
    try device.insert("Tag", "next", [:])
    #expect(try device.replica.push().flatMap(\.set.entities).contains { $0.formerNames == ["Memo"] })
    _ = try device.replica.receive(
      [try Said(entity: "Note", former: ["Memo"]).set(by: 1)], policy: .always(.latest))
    try device.insert("Tag", "later", [:])
    #expect(try device.replica.push().last?.set.entities.map(\.formerNames) == [[]])
  }

  private static func contradictions(_ report: ApplyReport) -> [String] {
    report.warnings.filter { $0.kind == .contradictoryNames }.map { "\($0.entity): \($0.key ?? "")" }
  }

  private static let claims = [
    Said(entity: "Tag", former: ["Memo"]), Said(entity: "Note", former: ["Memo"]),
    Said(entity: "Note", properties: [("title", ["x"])]),
    Said(entity: "Note", properties: [("content", ["x"])]),
  ]

  @Test func `who merges a copy knows of the claims that its maker has heard`() throws {
    let maker = try Self.device("a")
    let sets = try Self.claims.enumerated().map { try $1.set(by: $0) }
    for set in sets { _ = try maker.replica.receive([set], policy: .always(.latest)) }
    let folder = try TemporaryFolder()
    _ = try maker.replica.snapshot(to: folder.file("copy.sqlite"))

    let device = try VersionedDevice("b", Self.model)
    let outcome = try device.replica.mergeCopy(
      at: folder.file("copy.sqlite"), policy: .always(.latest), along: { _, _, _ in })
    guard case .merged = outcome else {
      Issue.record("\(outcome)")
      return
    }

    let memo = Said(entity: "Memo", properties: [("title", [])], inserted: "memo", deleted: "own tag")
    let text = Said(entity: "Note", properties: [("x", [])], inserted: "own note")
    for (index, said) in [memo, text].enumerated() {
      for device in [maker, device] {
        _ = try device.replica.receive([try said.set(by: 4 + index)], policy: .always(.latest))
      }
    }
    #expect(try Self.shown(device) == Self.shown(maker))
    #expect(try device.object("Tag", "own tag") != nil && device.object("Note", "memo") == nil)
  }

  @Test func `a new version of the model tells what contradicts what had been told before it`() throws {
    let device = try VersionedDevice("a", [EntityDeclaration("Other", attributes: [RenamingTests.syncID])])
    for (index, said) in Self.claims.enumerated() {
      let report = try device.replica.receive([try said.set(by: index)], policy: .always(.latest))
      #expect(Self.contradictions(report).isEmpty)
    }
    try device.upgrade(to: Self.model + [EntityDeclaration("Other", attributes: [RenamingTests.syncID])])
    let report = try device.replica.receive([], policy: .always(.latest))
    #expect(Set(Self.contradictions(report)) == ["Note, Tag: Memo", "Note: content, title, x"])
  }

  @Test func `what the local model says by itself holds, and the report tells who contradicts it`() throws {
    var model = Self.model
    model[0].renamingIdentifier = "Memo"
    let device = try VersionedDevice("a", model)
    let said = Said(entity: "Tag", former: ["Memo"])
    let reports = try (0..<2).map {
      try device.replica.receive([try said.set(by: $0)], policy: .always(.latest))
    }
    #expect(reports.map(Self.contradictions) == [["Note, Tag: Memo"], []])
    let memo = Said(entity: "Memo", properties: [("title", [])], inserted: "memo")
    _ = try device.replica.receive([try memo.set(by: 2)], policy: .always(.latest))
    #expect(try device.text("Note", "memo", "title") == "title of 2")
  }

  @Test func `the report tells what one set tells apart and the local model takes for one`() throws {
    let device = try Self.device("a")
    let said = Said(
      entity: "Note", properties: [("title", []), ("heading", ["title"])], inserted: "theirs")
    let report = try device.replica.receive([try said.set(by: 0)], policy: .always(.latest))
    #expect(Self.contradictions(report) == ["Note: heading, title"])
    #expect(try device.object("Note", "theirs") != nil)
  }

  @Test(arguments: UInt64(0)..<60)
  func `whatever others claim without a change, devices that heard it in different orders agree`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let names = ["Note", "Tag", "a", "b", "c"]
    let keys = ["title", "content", "x", "y"]
    func former(_ all: [String]) -> [String] {
      (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in (all + [""]).randomElement(using: &random)
      }
    }
    let said = (0..<Int.random(in: 2...5, using: &random)).map { _ in
      let name = names.randomElement(using: &random) ?? ""
      let root = Bool.random(using: &random) ? names.randomElement(using: &random) : nil
      let properties = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        (name: keys.randomElement(using: &random) ?? "", former: former(keys))
      }
      return Said(entity: name, former: former(names), root: root, properties: properties)
    }
    let order = Array(said.indices).shuffled(using: &random)
    let (one, other) = try Self.compare(said, order, order.reversed())
    #expect(one == other, "\(order) \(said.map(\.testDescription))")
  }
}
